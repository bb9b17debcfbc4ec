"""Whether a yes is a person's, and means what was shown."""
