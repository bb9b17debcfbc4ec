"""How the build fails: with one clear sentence, not a traceback."""


class BuildError(Exception):
    """Something the person who runs the build can see and mend."""
