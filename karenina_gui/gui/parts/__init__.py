"""Controls and marks that several pages share."""
