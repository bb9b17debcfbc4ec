"""What the agent needs from outside, as protocols, and two hosts that provide it.

``bridge.py`` is the real one, inside the extension; ``memory.py`` lives wholly in memory, for tests and for
authors of tools.
"""

from webbrain.host.protocols import (
    Browser,
    Capabilities,
    Clock,
    Host,
    Http,
    HttpRequest,
    HttpResponse,
    KeyValue,
    Page,
    Store,
    Tab,
    Ui,
)

__all__ = [
    "Browser",
    "Capabilities",
    "Clock",
    "Host",
    "Http",
    "HttpRequest",
    "HttpResponse",
    "KeyValue",
    "Page",
    "Store",
    "Tab",
    "Ui",
]
