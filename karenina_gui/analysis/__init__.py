"""Tables, figures and charts of results."""
