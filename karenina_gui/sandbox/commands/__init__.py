"""Where the commands of agents run: a box for each around its workspace, and the watch over what it uses."""
