"""The New run page: the models, questions, conditions and options of a run, and its plan."""
