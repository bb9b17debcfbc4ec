"""One run of the agent: the loop, its journal, its cards, and what models see of the past. See RULES.md."""
