"""Where the agent's own requests may go: no metadata services, nothing link-local, and nothing of the local
network unless the person switched that on; nor to a host that the person denied for good.

The check reads an address as browsers do (WHATWG URL), because it is a browser that will open it: numbers
in octal and hexadecimal, a single big number for an IPv4 address, IPv4 inside IPv6, wide letters and dots.
Names are not resolved: the browser does that, and it alone. A public name that points to a private address
is therefore caught only by the browser's own rules.
"""

import ipaddress
import re
import unicodedata
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from webbrain.core.errors import ToolFailed
from webbrain.core.types import Capability
from webbrain.host.protocols import Host
from webbrain.policy import grants

LOCAL_NETWORK_SETTING: Final = "agentAllowLocalNetwork"
"""The key of ``services.settings.Settings.agent_allow_local_network``; a test pins the two to each other."""

SCHEMES: Final = frozenset({"http", "https"})
USUAL_PORTS: Final = {"http": 80, "https": 443}
MOST_URL_CHARS: Final = 4_000
MOST_LABEL_CHARS: Final = 63
MOST_HOST_CHARS: Final = 253
"""No longer name is ever found."""
NEVER: Final = (
    "The user has denied this for {host} for good, so it was not done. Do without it, or say what is missing."
)
NOT_BLANK: Final = r"\S"
"""What an address that a tool is given must match: a blank one would mean the page itself."""
FORBIDDEN: Final = "forbidden_address"
BAD: Final = "bad_url"
DENIED: Final = "denied"

METADATA_HOSTS: Final = frozenset(
    {
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "instance-data",
        "instance-data.ec2.internal",
        "metadata.azure.com",
        "metadata.azure.internal",
        "metadata.oraclecloud.com",
        "metadata.packet.net",
        "metadata.platformequinix.com",
    }
)
"""Names of services that hand a cloud machine its credentials."""
METADATA_ADDRESSES: Final = tuple(
    ipaddress.ip_address(address)
    for address in ("169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254")
)
"""The same by number: the common one, Alibaba, Azure, Oracle, AWS over IPv6."""

NEVER_SUFFIXES: Final = ("internal", "local")
LOCAL_SUFFIXES: Final = ("localhost", "localdomain")

NEVER_NETS: Final = tuple(
    ipaddress.ip_network(net)
    for net in (
        "0.0.0.0/8",
        "100.64.0.0/10",
        "169.254.0.0/16",
        "224.0.0.0/3",
        "::/128",
        "fe80::/10",
        "ff00::/8",
    )
)
LOCAL_NETS: Final = tuple(
    ipaddress.ip_network(net)
    for net in ("10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
)

_EMBEDDED: Final = (
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),
    (ipaddress.IPv6Network("::/96"), 0),
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),
    (ipaddress.IPv6Network("64:ff9b:1::/48"), 0),
    (ipaddress.IPv6Network("2002::/16"), 80),
)
"""IPv6 networks that carry an IPv4 address, and by how many bits it is shifted from the end."""

_DOTS: Final = re.compile("[\u3002\uff0e\uff61]")
_NOT_IN_ADDRESS: Final = re.compile(r"[\x00-\x20\x7f\\]")
_NOT_IN_HOST: Final = re.compile(r"[\x00-\x20\x7f#%/:<>?@\[\\\]^|]")
_KEPT: Final = "\u00df\u03c2"
"""Sharp s and final sigma: letters of their own in browsers, others in the standard before."""
_AS_ONCE: Final = str.maketrans({"\u00df": "ss", "\u03c2": "\u03c3"})
_SIGMAS: Final = str.maketrans("\u03f2\u03f9", "\u03c3\u03c3")
"""Other forms of sigma, which are no final one."""
_DIFFER: Final = "\u1e9e\u200c\u200d"
"""Capital sharp s and the joiners: what a name with them is differs from browser to browser."""
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Refused(ToolFailed):
    """An address that must not be opened; the message says why and what to do instead."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The rules of one moment. ``enabled`` is off only in tests that prove that it is the guard which
    refuses."""

    allow_local: bool = False
    enabled: bool = True
    never: frozenset[str] = frozenset()
    """Hosts (:func:`key_of`) that the person denied for good."""

    def check(self, url: str) -> str:
        """The host of ``url``, as a browser would call it; raise :class:`Refused`."""
        host = host_of(url)
        if self.enabled and (reason := self._reason(host)):
            raise Refused(reason, code=FORBIDDEN)
        if self.enabled and self.never and key_of(url) in self.never:
            raise Refused(NEVER.format(host=host), code=DENIED, data={"denied": True, "dispatched": False})
        return host

    def allows(self, url: str) -> bool:
        """Whether :meth:`check` lets ``url`` pass."""
        try:
            self.check(url)
        except Refused:
            return False
        return True

    def _reason(self, host: str) -> str:
        """Why this host must not be reached, or nothing."""
        address = address_of(host)
        if address is None:
            return self._reason_of_name(host)
        if any(_within(one, METADATA_ADDRESSES) for one in _meanings(address)):
            return f"{host} is a cloud machine's metadata service. It is never contacted."
        if any(_within(one, NEVER_NETS) for one in _meanings(address)):
            return f"{host} is a link-local, shared or reserved address. It is never contacted."
        if not self.allow_local and any(_within(one, LOCAL_NETS) for one in _meanings(address)):
            return _local(host)
        return ""

    def _reason_of_name(self, host: str) -> str:
        if host in METADATA_HOSTS:
            return f"{host} is a cloud machine's metadata service. It is never contacted."
        last = host.rsplit(".", 1)[-1]
        if last in NEVER_SUFFIXES:
            return f"{host} is a name of an internal network. It is never contacted."
        # A name of one label is looked up in the local network's own domain.
        if not self.allow_local and (last in LOCAL_SUFFIXES or last == host):
            return _local(host)
        return ""


async def guard(host: Host, capability: Capability | None = Capability.NETWORK) -> Guard:
    """The rules as the person has set them now. ``capability`` is what hosts may have been denied for good;
    ``None`` for whoever looks at that himself.
    """
    stored = await host.settings.get([LOCAL_NETWORK_SETTING, grants.PERMISSIONS, grants.SWITCH])
    never: frozenset[str] = frozenset()
    if capability is not None and stored.get(grants.SWITCH) is not False:
        never = frozenset(
            grant.host
            for grant in grants.parsed(stored.get(grants.PERMISSIONS))
            if grant.capability is capability and grant.action == "deny"
        )
    return Guard(allow_local=stored.get(LOCAL_NETWORK_SETTING) is True, never=never)


def key_of(url: str) -> str:
    """What a grant for this address is for (``policy.origins``): its host without ``www.``, and its port
    where that is not the usual one. Raise :class:`Refused` for what has no host.
    """
    host = host_of(url).removeprefix("www.")
    parts = urlsplit(url)
    if parts.port is None or parts.port == USUAL_PORTS.get(parts.scheme.lower()):
        return host
    return f"[{host}]:{parts.port}" if ":" in host else f"{host}:{parts.port}"


def resolve(url: str, base: str) -> str:
    """The absolute http(s) address that ``url`` means on the page ``base``; raise :class:`Refused`."""
    url = url.strip()
    if not url:  # it would mean the page itself
        raise Refused("The address is empty.", code=BAD)
    if _NOT_IN_ADDRESS.search(url):
        raise Refused("An address holds no spaces, control characters or backslashes; encode them.", code=BAD)
    try:
        if not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", url):
            on_web = urlsplit(base).scheme in SCHEMES
            url = urljoin(base, url) if on_web else f"https://{url.lstrip('/')}"
    except ValueError as error:
        raise Refused("This is not a well-formed web address.", code=BAD) from error
    host_of(url)
    return url


def host_of(url: str) -> str:
    """The host a browser would contact for ``url``: lower case, without brackets, an IPv4 address in its four
    usual numbers. Raise :class:`Refused` for anything that is no http(s) address.
    """
    if len(url) > MOST_URL_CHARS:
        raise Refused(f"An address has at most {MOST_URL_CHARS} characters.", code=BAD)
    if _NOT_IN_ADDRESS.search(url):
        raise Refused("An address holds no spaces, control characters or backslashes; encode them.", code=BAD)
    try:
        parts = urlsplit(url)
        raw, _ = _host_in(parts.netloc), parts.port
    except ValueError as error:
        raise Refused("This is not a well-formed web address.", code=BAD) from error
    if parts.scheme.lower() not in SCHEMES:
        raise Refused("Only http and https addresses can be fetched.", code=BAD)
    if parts.username is not None or parts.password is not None:
        raise Refused("An address with a user name or password in it is not opened.", code=BAD)
    host = _normal(raw)
    if not host:
        raise Refused("The address names no host, or one that no browser accepts.", code=BAD)
    address = address_of(host)
    return str(address) if address is not None else host


def address_of(host: str) -> Address | None:
    """The IP address that ``host`` is, in any spelling a browser accepts; ``None`` for a name.

    Raise :class:`Refused` for what looks like an address and is none.
    """
    if ":" in host:
        try:
            return ipaddress.IPv6Address(host.partition("%")[0])
        except ValueError as error:
            raise Refused(f"{host[:80]} is no valid address.", code=BAD) from error
    last = host.rsplit(".", 1)[-1]
    if not (last.isdigit() or _NUMBER.fullmatch(last)):
        return None
    numbers = [_number(part) for part in host.split(".")]
    *first, rest = numbers
    if len(numbers) > 4 or any(n is None for n in numbers):
        raise Refused(f"{host[:80]} is no valid address.", code=BAD)
    value = int(rest or 0)
    if any((n or 0) > 255 for n in first) or value >= 256 ** (5 - len(numbers)):
        raise Refused(f"{host[:80]} is no valid address.", code=BAD)
    for place, number in enumerate(first):
        value += int(number or 0) << (8 * (3 - place))
    return ipaddress.IPv4Address(value)


def is_write(method: str) -> bool:
    """Whether a request of that method may change something on the server."""
    return method.upper() not in ("GET", "HEAD")


def _host_in(netloc: str) -> str:
    """The host of an authority, its letters as they are: made small, some would be others."""
    place = netloc.rpartition("@")[2]
    return place[1:].partition("]")[0] if place.startswith("[") else place.partition(":")[0]


def _normal(host: str) -> str:
    """A host as browsers normalise it, or nothing if they would refuse it."""
    if ":" in host:
        return host.lower()
    host = unquote(host)
    if any(letter in host for letter in _DIFFER):
        return ""
    host = unicodedata.normalize("NFKC", _DOTS.sub(".", host.translate(_SIGMAS)))
    host = "".join(
        letter.lower() for letter in host
    )  # one by one: a whole word's last sigma is another letter
    host = "".join(letter for letter in host if unicodedata.category(letter) != "Cf")
    host = _DOTS.sub(".", host)
    host = host.removesuffix(".")
    if len(host) > MOST_HOST_CHARS or not host or _NOT_IN_HOST.search(host) or "" in host.split("."):
        return ""
    if host.isascii():
        return host
    try:
        host = ".".join(map(_encoded, host.split(".")))
    except UnicodeError:
        return ""
    return host if len(host) <= MOST_HOST_CHARS else ""


def _encoded(label: str) -> str:
    """A part of a name as browsers write it. Python's own way makes others of letters that browsers keep."""
    if not any(letter in label for letter in _KEPT):
        return label.encode("idna").decode("ascii")
    label.translate(_AS_ONCE).encode("idna")  # raises for what no name may hold
    folded = "".join(letter if letter in _KEPT else letter.casefold() for letter in label)
    label = unicodedata.normalize("NFKC", folded)
    found = f"xn--{label.encode('punycode').decode('ascii')}"
    if len(found) > MOST_LABEL_CHARS:
        raise UnicodeError("The label is too long.")
    return found


def _number(text: str) -> int | None:
    """A part of an IPv4 address: decimal, octal with a leading 0, hexadecimal with 0x."""
    try:
        if text[:2].lower() == "0x":
            return int(text[2:] or "0", 16) if _NUMBER.fullmatch(text) else None
        if not (text.isascii() and text.isdigit()):
            return None
        return int(text, 8) if len(text) > 1 and text[0] == "0" else int(text)
    except ValueError:
        return None


def _meanings(address: Address) -> list[Address]:
    """The address, and the IPv4 address it carries if it is an IPv6 one."""
    found: list[Address] = [address]
    if isinstance(address, ipaddress.IPv6Address):
        for net, shift in _EMBEDDED:
            if address in net and int(address) > 1:
                found.append(ipaddress.IPv4Address(int(address) >> shift & 0xFFFFFFFF))
    return found


def _within(address: Address, places: tuple[object, ...]) -> bool:
    return any(
        address == place
        if isinstance(place, ipaddress.IPv4Address | ipaddress.IPv6Address)
        else isinstance(place, ipaddress.IPv4Network | ipaddress.IPv6Network)
        and address.version == place.version
        and address in place
        for place in places
    )


def _local(host: str) -> str:
    return (
        f"{host} is on this computer or the local network. That is off: only the user can allow it, "
        "in the settings under Network."
    )
