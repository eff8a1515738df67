"""Application shell around every page: window, menus, navigation, commands, addresses, and serving."""
