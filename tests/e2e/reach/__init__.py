"""What the host lets the agent ask of a browser, asked of the finished build one call at a time."""
