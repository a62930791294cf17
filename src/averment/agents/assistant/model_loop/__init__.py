"""The assistant's loop with a model: it looks, wants several acts at once, points back, hands whole questions on."""
