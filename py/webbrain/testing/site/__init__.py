"""A small local shop to try the agent on."""

from webbrain.testing.site.server import Placed, Shop
from webbrain.testing.site.words import Order

__all__ = ["Order", "Placed", "Shop"]
