"""Which items of a shown list a person means: by place, by exception, by name or by pronoun.

``resolve`` reads the words against the list as it was shown. It takes a place only when every word of the phrase is
accounted for, so "buy 2 tickets" and "the first aid kit one" name no place; where two items are as likely, it says so
instead of choosing.
"""
