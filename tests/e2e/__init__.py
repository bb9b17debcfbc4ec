"""What a person does with the built extension, in real browsers."""
