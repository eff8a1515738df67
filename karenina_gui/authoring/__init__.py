"""What an author can do, without a screen."""
