"""How a judge is asked, whatever it judges: templates, traits and evidence ask the same way."""
