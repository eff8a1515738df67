"""Files in and out: checkpoints, tables of questions, recorded answers, results."""
