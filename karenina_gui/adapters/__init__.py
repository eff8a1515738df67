"""Access to models through three ports, whichever provider replies."""
