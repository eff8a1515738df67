"""Settings of the application and the user, and API keys."""
