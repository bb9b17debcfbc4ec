"""A model made of rules: it reads what it is shown and decides, but it understands only shops and facts.

It plays its part honestly. It knows no page in advance: fields are found by their roles and the words of
their labels, and where a page offers nothing that fits the task it says so.
"""

from webbrain.testing.demo.brain import plan, think

__all__ = ["plan", "think"]
