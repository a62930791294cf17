"""Whether two sentences say the same: by moves of grammar that leave the meaning as it is, and by nothing else."""

from averment.language.retelling.differences import difference
from averment.language.retelling.readings import readings_of, same_meaning

__all__ = ["difference", "readings_of", "same_meaning"]
