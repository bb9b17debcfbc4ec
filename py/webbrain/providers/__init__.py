"""Model services: a catalogue of data, and one module per wire format.

A wire format is two pure parts (request out, events in); every byte of network, retry and time-out is in
``client.py``. See RULES.md.
"""
