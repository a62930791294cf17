"""What sentences claim and what texts answer: pure reading, with no source, no clock and no network.

``focus`` reads the question, ``candidates`` and ``reader`` find what one text answers, ``piles`` and ``disputes`` put
several texts together, ``claims`` compares single sentences, ``values`` and ``names`` bring what is stated to one form,
``stance`` keeps denial, hedging and attribution, ``roles`` tells victor from beaten and one event from another.
"""
