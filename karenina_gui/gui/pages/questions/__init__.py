"""The list of questions and the editor of one."""
