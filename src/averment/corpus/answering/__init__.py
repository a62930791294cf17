"""Answers over documents with structure: look-ups and joins over fields, cells, lists, sections, then sentences.

Everything here is a pure function of cards, structures and the embedder; nothing is searched for or kept.
"""
