"""What is decided in code and not left to a model: wrapping, caps, credentials, the question before a
submit."""
