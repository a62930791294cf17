"""A second reader of questions, by their phrases: what is listed, what it is split by, what it is ranked by.

The first reader asks of each word what it names; this one cuts the question into phrases and finds the columns that fit
them best together. Where both come to the same rows, the reading is the surer for it.
"""
