"""MiniWoB++ with the built extension: an oracle in the model's place, the suite's own judges on the pages."""
