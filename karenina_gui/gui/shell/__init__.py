"""The application around the pages: layout, menus, navigation, routes, and the server's guards."""
