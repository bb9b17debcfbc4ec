"""The client that an endpoint needs."""

from webbrain.host.protocols import Host
from webbrain.providers.base import ModelClient
from webbrain.providers.builtin import BuiltinClient
from webbrain.providers.client import HttpModelClient
from webbrain.providers.config import Endpoint
from webbrain.providers.wire import Learned


def connect(host: Host, endpoint: Endpoint, learned: Learned | None = None) -> ModelClient:
    """A client for one run. ``learned`` is what earlier ones found out about a service over the network."""
    if endpoint.wire == "builtin":
        return BuiltinClient(host.builtin, endpoint)
    return HttpModelClient(host.http, host.clock, endpoint, learned)
