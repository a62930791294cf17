"""The plan language: the meaning of a question over tables, as data.

``plan`` holds the records, ``compile`` turns a plan into one query, ``readback`` says it in one English sentence,
``text`` writes and reads its one-line form, ``edits`` changes one plan into the next.
"""
