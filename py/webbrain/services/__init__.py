"""What lives longer than a run: conversations, settings, providers."""
