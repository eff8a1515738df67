"""State of one application and of its windows: services, preferences, subscriptions, edits on their way."""
