"""Words around numbers: cut without breaking one, segments in a fixed order."""

from averment.agents.driller.hypotheses import segment_words, whole_sentences


def test_a_text_is_cut_after_a_whole_sentence() -> None:
    assert whole_sentences("It fell by 12.34. It rose by 56.78.", 30) == "It fell by 12.34."
    assert whole_sentences("It fell by 12.34.", 30) == "It fell by 12.34."


def test_a_segment_is_told_in_a_fixed_order() -> None:
    assert segment_words({"plan": "free", "channel": "web"}) == "channel = web, plan = free"
    assert segment_words({}) == "everything"
