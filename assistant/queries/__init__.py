"""What reads them."""
