"""A model that leads: it looks, tries and submits on the runtime, and whatever it submits is run anew and proven."""
