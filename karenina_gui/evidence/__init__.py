"""What a judgement rests on: passages quoted from the answer, found there again, and looked up elsewhere."""
