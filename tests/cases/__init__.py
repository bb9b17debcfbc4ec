"""What goes wrong for people, tried through the tools of the built extension."""
