"""Plain data and vocabulary shared by every room: standard library and pydantic only."""
