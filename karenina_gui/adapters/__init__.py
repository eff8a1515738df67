"""Models behind three ports: how a reply is asked for, whoever gives it."""
