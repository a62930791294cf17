"""The researcher: what sources say, where they disagree, every sentence checkable."""
