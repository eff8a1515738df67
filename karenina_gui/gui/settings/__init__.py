"""Settings of the application and of its person, and the keys of providers."""
