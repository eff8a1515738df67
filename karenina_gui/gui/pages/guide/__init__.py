"""The guide inside the application: short chapters with contents, search, and a glossary."""
