"""The screens with a fake port, in Chromium."""
