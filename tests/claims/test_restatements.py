"""A sentence may be told shorter where it stands by itself without what is left out, and in no other way."""

import pytest

from averment.claims.of_restatements import restates

HARBOUR = "Lindholm Harbour was deepened in 1961 because larger ships could not enter the basin."
FALK = "It was dredged by the steamer Falk, and the mud went out to sea."
BEFORE = "Lindholm Harbour lies at the mouth of the Lind."


@pytest.mark.parametrize(
    ("text", "quote", "before"),
    [
        (HARBOUR, HARBOUR, ""),
        ("Lindholm Harbour was deepened in 1961.", HARBOUR, ""),
        ("It was dredged by the steamer Falk.", FALK, ""),
        ("Lindholm Harbour was dredged by the steamer Falk.", FALK, BEFORE),
        ("The bridge opened in 1932.", "The bridge, which cost 9 million, opened in 1932.", ""),
        ("The bridge opened in 1932.", "The bridge (see the map) opened in 1932.", ""),
        ("Ada Moe wrote it in 1999.", "Ada Moe wrote it in 1999; the second volume followed later.", ""),
        ("The bridge opened.", "However, the bridge opened.", ""),
        ("The bridge opened in 1932", "The bridge (see the map) opened in 1932", ""),
        ("The bridge opened in 1932!", "The bridge (see the map) opened in 1932!", ""),
        ("The bridge opened in 1932.", "The bridge, a fine one, opened in 1932.", ""),
        ("The bridge opened in 1932.", "The bridge, which cost 9 million, opened in 1932, and it stands.", ""),
        ("The bridge opened in 1932.", "The bridge (see the map) opened in 1932 because it was needed.", ""),
        ("The ferry carries cars.", "The ferry carries cars and is blue.", ""),
        ("Ten ships sank.", "Ten ships sank, of which two were found.", ""),
        ("Ten ships sank.", "Ten ships sank, half of which were found.", ""),
        ("The bridge opened in 1932.", "The bridge opened in 1932 – and it stands.", ""),
    ],
)
def test_asides_may_go(text: str, quote: str, before: str) -> None:
    assert restates(text, quote, before)


@pytest.mark.parametrize(
    ("text", "quote", "before"),
    [
        ("Lindholm Harbour was deepened.", HARBOUR, ""),
        ("Lindholm Harbour was deepened in 1999.", HARBOUR, ""),
        ("Larger ships could not enter the basin.", HARBOUR, ""),
        ("Lindholm Harbour was closed.", "Lindholm Harbour was never closed.", ""),
        ("Lindholm was deepened.", "According to the archive, Lindholm was deepened.", ""),
        ("Deepening would harm the beds.", "Critics warned that deepening would harm the beds.", ""),
        ("The tunnel opens in 2030.", "The tunnel opens in 2030, if the council agrees.", ""),
        ("The tunnel opens in 2030.", "The tunnel opens in 2030, officials said.", ""),
        ("The mayor resigned.", "The mayor resigned, which her office denied.", ""),
        ("Sales rose between 2010.", "Sales rose between 2010 and 2012.", ""),
        ("The drug works, and it is safe.", "The drug works, and it is not safe.", ""),
        ("Anna Berg was dredged by the steamer Falk.", FALK, BEFORE),
        ("The mouth of the Lind was dredged by the steamer Falk.", FALK, BEFORE),
        ("Lindholm Harbour lies was dredged by the steamer Falk.", FALK, BEFORE),
        ("", "The drug works.", ""),
        ("The bridge opened.", "Reportedly, the bridge opened.", ""),
        ("The mill opened.", "The mill, and the bridge, opened.", ""),
        ("The bridge in 1932, opened.", "The bridge, which the town hated in 1932, opened.", ""),
        ("The ferry carries cars.", "The ferry carries cars but is blue.", ""),
        ("The ferry carries no cars.", "The ferry carries no cars and is blue.", ""),
        ("The bridge opened in 1932.", "The bridge (if it stood) opened in 1932.", ""),
        ("The bridge opened in 1932.", "The bridge (see the map opened in 1932.", ""),
        ("The board bought a bridge.", "The board bought a bridge, a boat and a mill.", ""),
        ("The bridge, and a mill opened.", "The bridge, a ferry, and a mill opened.", ""),
        ("The bridge stood.", "The bridge (old), which fell, which burnt, stood (empty).", ""),
        ("Ten ships sank.", "Ten ships sank, few of which were said to be found.", ""),
        ("Lindholm was dredged by the steamer Falk.", FALK, "Lindholm was dredged by the steamer Falk."),
        ("She sold the boat.", "He sold the boat.", "She met Bob in 1932."),
        ("We sold the boat.", "He sold the boat.", "We met Bob in 1932."),
        ("Lindholm Harbour was dredged by the steamer Falk.", "The port was dredged by the steamer Falk.", BEFORE),
    ],
)
def test_what_turns_binds_or_begins_a_statement_stays(text: str, quote: str, before: str) -> None:
    assert not restates(text, quote, before)
