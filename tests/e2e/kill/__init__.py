"""Parts of the product are killed at chosen moments; a counting server says what happened."""
