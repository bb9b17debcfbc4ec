"""Which hosts are one site, and when the user's cookies may go along.

The public suffix list says where names are given out (``co.uk``, ``github.io``); one label more is a site.
It is the list of publicsuffixlist, a snapshot that is renewed with the build's lock.
"""

import pkgutil
from functools import cache
from typing import Final

from publicsuffixlist import PublicSuffixList

from webbrain.policy.egress import Refused, address_of, host_of

_LIST: Final = "public_suffix_list.dat"


@cache
def _suffixes() -> PublicSuffixList:
    """The list, read when it is first needed: most runs never ask."""
    data = pkgutil.get_data("publicsuffixlist", _LIST)
    if data is None:
        raise FileNotFoundError(_LIST)
    # Encoded twins of the international names would take eight times as long; hosts are decoded instead.
    return PublicSuffixList(source=data, accept_encoded_idn=False)


def site_of(host: str) -> str:
    """The registrable domain of a host, as a browser calls it (``host_of``).

    An IP address, a name with one label and a public suffix itself are sites of their own.
    """
    try:
        if address_of(host) is not None:
            return host
    except Refused:
        return host
    readable = ".".join(_decoded(label) for label in host.split("."))
    private = _suffixes().privatesuffix(readable)
    if private is None:
        return host
    return ".".join(host.split(".")[-len(private.split(".")) :])


def same_site(one: str, other: str) -> bool:
    """Whether two http(s) addresses belong to one site; false for anything else."""
    try:
        return site_of(host_of(one)) == site_of(host_of(other))
    except Refused:
        return False


def cookies_for(url: str, page_url: str) -> bool:
    """Whether a request for ``url`` may carry the user's cookies while the run works on ``page_url``.

    Never without encryption from a page that has it: somebody on the way could read them.
    """
    if page_url.startswith("https:") and not url.lower().startswith("https:"):
        return False
    return same_site(url, page_url)


def _decoded(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label
