"""What a check says, and what is kept of each fault."""
