"""Fields that are bound to stored records, with their conflicts."""
