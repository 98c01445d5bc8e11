"""An exported transcript becomes the log of an empty room again: ids, seqs, times and authors as they were."""
