"""What people say about a list they see, and what they mean; ``?`` stands for a question back."""

from __future__ import annotations

WORK = (
    "Buy groceries",
    "Call John",
    "Review docs",
    "Team meeting at 5pm",
    "Book the dentist",
    "Buy salt and pepper",
    "Meeting with Anna",
    "Pay rent",
)
TWELVE = tuple(f"Chore {letter}" for letter in "ABCDEFGHIJKL")
PAIR = ("Water the plants", "Feed the cat")
ONE = ("Renew passport",)

# (list, words, positions that were last spoken of, what is meant)
Case = tuple[tuple[str, ...], str, tuple[int, ...], "list[int] | str"]


def _all(items: tuple[str, ...], lines: str) -> list[Case]:
    """Cases written as ``words -> 1 2 3``, with ``@ 3`` for what was last spoken of."""
    made: list[Case] = []
    for line in lines.strip().splitlines():
        words, meant = (part.strip() for part in line.rsplit("->", 1))
        words, _, spoken = words.partition(" @ ")
        focus = tuple(int(number) for number in spoken.split())
        made.append((items, words, focus, "?" if meant == "?" else [int(number) for number in meant.split()]))
    return made


CASES: list[Case] = [
    *_all(
        TWELVE,
        """
        task 2 -> 2
        complete task 2 -> 2
        #3 -> 3
        # 3 -> 3
        2 -> 2
        12 -> 12
        13 -> ?
        0 -> ?
        task 40 -> ?
        tasks 3 and 40 -> ?
        number four -> 4
        no. 7 -> 7
        item 9 -> 9
        the first one -> 1
        the first -> 1
        first -> 1
        second task please -> 2
        the third task -> 3
        the 3rd -> 3
        2nd and 4th -> 2 4
        the eleventh -> 11
        the twelfth one -> 12
        the thirteenth one -> ?
        last -> 12
        the last one -> 12
        delete the last one -> 12
        the final one -> 12
        the bottom one -> 12
        top one -> 1
        the second to last -> 11
        the third to last one -> 10
        next to last -> 11
        the penultimate one -> 11
        the second and the fourth -> 2 4
        first, second and fifth -> 1 2 5
        complete 1, 3 and 5 -> 1 3 5
        1,3,5 -> 1 3 5
        1 & 2 -> 1 2
        tasks 1 and 3 -> 1 3
        tasks one and three -> 1 3
        task 1 and task 3 -> 1 3
        #3 and #5 -> 3 5
        2-4 -> 2 3 4
        2 - 4 -> 2 3 4
        2 to 4 -> 2 3 4
        items 2 to 4 -> 2 3 4
        2 through 4 -> 2 3 4
        tasks 9 through 14 -> ?
        3rd to 5th -> 3 4 5
        1, 3-5 and 8 -> 1 3 4 5 8
        5-2 -> ?
        the first two -> 1 2
        the first three tasks -> 1 2 3
        the last three -> 10 11 12
        last 2 -> 11 12
        the first twenty -> ?
        both of the first two -> 1 2
        all -> 1 2 3 4 5 6 7 8 9 10 11 12
        all of them -> 1 2 3 4 5 6 7 8 9 10 11 12
        all tasks -> 1 2 3 4 5 6 7 8 9 10 11 12
        everything -> 1 2 3 4 5 6 7 8 9 10 11 12
        every single one -> 1 2 3 4 5 6 7 8 9 10 11 12
        the whole list -> 1 2 3 4 5 6 7 8 9 10 11 12
        delete everything -> 1 2 3 4 5 6 7 8 9 10 11 12
        all but the first -> 2 3 4 5 6 7 8 9 10 11 12
        everything except the first -> 2 3 4 5 6 7 8 9 10 11 12
        everything except the last two -> 1 2 3 4 5 6 7 8 9 10
        all tasks but 2 and 3 -> 1 4 5 6 7 8 9 10 11 12
        everything but number 12 -> 1 2 3 4 5 6 7 8 9 10 11
        all apart from 1-10 -> 11 12
        all except task 30 -> ?
        the first five except 2 -> 1 3 4 5
        1 or 2 -> ?
        the first or the last -> ?
        both -> ?
        the middle one -> ?
        that -> ?
        it -> ?
        them -> ?
        the other one -> ?
        just a second -> ?
        give me a second -> ?
        buy 2 tickets -> ?
        call john at 3 -> ?
        the 5pm one -> ?
        at 5 -> ?
        the first aid kit one -> ?
        second hand car -> ?
        one -> 1
        the one after that -> ?
        not the first one -> ?
        don't delete 2 -> ?
        none of them -> ?
        neither -> ?
        none -> ?
        any -> ?
        the blue one -> ?
        3 times -> ?
        two weeks -> ?
        version 2 -> ?
        it @ 3 -> 3
        that @ 3 -> 3
        this one @ 3 -> 3
        that task @ 7 -> 7
        complete it @ 5 -> 5
        mark that as done @ 5 -> 5
        delete them @ 3 4 -> 3 4
        those @ 3 4 -> 3 4
        both of them @ 3 4 -> 3 4
        all of them @ 3 4 -> 3 4
        it @ 3 4 -> ?
        I finished that @ 2 -> 2
        the other one @ 3 -> ?
        i finished the third one -> 3
        mark 2 as done -> 2
        mark the second one as complete please -> 2
        check off number two -> 2
        cross off the first two -> 1 2
        get rid of the last one -> 12
        can you delete task 6 please -> 6
        I've done 4 and 5 -> 4 5
        chore c -> 3
        chore c and chore d -> 3 4
        chore -> ?
        chore z -> ?
        """,
    ),
    *_all(
        WORK,
        """
        the meeting one -> ?
        the meeting with anna -> 7
        anna -> 7
        the team meeting -> 4
        the 5pm meeting -> 4
        the dentist -> 5
        dentist one -> 5
        book the dentist -> 5
        call john -> 2
        mark call john as done -> 2
        I called John -> 2
        john -> 2
        groceries -> 1
        grocries -> 1
        the grocery one -> 1
        buy -> ?
        salt and pepper -> 6
        the salt -> 6
        rent -> 8
        pay the rent -> 8
        I paid the rent -> 8
        groceries and rent -> 1 8
        groceries and the third one -> 1 3
        the docs and 5 -> 3 5
        the docs and the unicorn -> ?
        meetings -> ?
        both meetings -> ?
        the plumber -> ?
        review -> 3
        all but the dentist -> ?
        everything except rent -> ?
        delete the unicorn -> ?
        """,
    ),
    *_all(
        PAIR,
        """
        both -> 1 2
        both of them -> 1 2
        delete both -> 1 2
        the other one @ 1 -> 2
        the other @ 2 -> 1
        the plants -> 1
        the cat -> 2
        cat and plants -> 1 2
        the third one -> ?
        last -> 2
        all three -> ?
        """,
    ),
    *_all(
        ONE,
        """
        it -> 1
        that -> 1
        the passport -> 1
        both -> ?
        the last one -> 1
        the second -> ?
        """,
    ),
]
