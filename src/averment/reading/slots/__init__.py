"""Slots: what each span of a question does: measure, group, filter, rank."""
