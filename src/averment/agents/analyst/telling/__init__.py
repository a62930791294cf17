"""Telling: a plan and its result become claims, by the plan's shape and the result's."""
