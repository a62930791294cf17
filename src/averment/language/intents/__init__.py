"""What a person wants done, read from one utterance without a model."""
