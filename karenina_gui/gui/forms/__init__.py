"""Forms: fields as specifications, and the controls that are bound to records."""
