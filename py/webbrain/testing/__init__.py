"""Tools for testing the agent: a local site, model servers and a rule-based model.

Part of the Python package and its ``dev`` extra, never of the built extension. Everything here listens on
127.0.0.1 only and keeps no state outside its own objects.
"""
