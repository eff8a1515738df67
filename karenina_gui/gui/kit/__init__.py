"""Controls that know no service: dialogs, tables, texts, downloads."""
