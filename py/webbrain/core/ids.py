"""Identifiers. Random parts come from the system's own generator, never from the seeded ``random`` module."""

import secrets


def new_id(prefix: str) -> str:
    """Return ``prefix_`` and 12 random hexadecimal digits, e.g. ``run_9f3a…``."""
    return f"{prefix}_{secrets.token_hex(6)}"


def nonce(length: int = 8) -> str:
    """Return ``length`` random hexadecimal digits for a boundary."""
    return secrets.token_hex((length + 1) // 2)[:length]
