"""``make test-llm``: what a small real model gets done with the built extension, on new pages each time."""
