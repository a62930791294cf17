"""Whether two sentences say the same: by moves of grammar that leave the meaning as it is, and by nothing else."""
