"""A model that leads: it looks, tries and submits on the spine, and whatever it submits is run anew and proven."""
