"""Folders of agent tasks: closed, gone through, copied, compared and removed, whatever somebody planted in them."""
