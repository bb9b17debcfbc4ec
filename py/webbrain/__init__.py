"""WebBrain: a browser agent whose whole mind is this package.

The package runs on Pyodide inside the extension and on ordinary CPython 3.11 or newer in tests. Importing any
module has no side effect: nothing is opened, started or registered with a running loop.
"""

__version__ = "0.1.0"
