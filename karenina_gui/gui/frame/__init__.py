"""What surrounds every page: window, menus, navigation, commands, addresses, and how it is served."""
