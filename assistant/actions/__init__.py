"""What writes the conversation and the brain's row."""
