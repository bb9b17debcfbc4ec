"""The addresses that a user wrote in their own message: to open one is what they asked for."""

import re
from typing import Final

from webbrain.policy import egress
from webbrain.policy.origins import known_key

MOST_TEXT_CHARS: Final = 20_000
MOST_HOSTS: Final = 50

_ADDRESS: Final = re.compile(
    r"https?://[^\s<>\"'`]+"
    r"|(?<![\w@.-])(?:[\w-]+\.)+[a-z]{2,}(?::\d{1,5})?(?![\w@-])"
    r"|(?<![\w@.-])(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?(?![\w@-])",
    re.IGNORECASE,
)
_END: Final = ".,;:!?)]}>\u00bb\u201d\u2019"


def hosts_in(text: str) -> frozenset[str]:
    """The hosts (keys of ``policy.origins``) of addresses in a message, with or without a scheme."""
    found: list[str] = []
    for match in _ADDRESS.finditer(text[:MOST_TEXT_CHARS]):
        address = match[0].rstrip(_END)
        for url in [address] if "://" in address else [f"https://{address}", f"http://{address}"]:
            try:
                egress.host_of(url)
            except egress.Refused:
                continue
            found.append(known_key(url))
        if len(found) >= MOST_HOSTS:
            break
    return frozenset(key for key in found if key)
