"""Agents' workspaces: closed, traversed, copied, compared and removed safely, whatever was planted in them."""
