"""Evidence for judgments: quotes found in the answer, and checked by web search."""
