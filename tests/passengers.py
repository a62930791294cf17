"""A small table of passengers, made the same way every time, with a cell that spans two lines of the file."""

from __future__ import annotations

import random
from pathlib import Path

COLUMNS = "passenger_id,name,sex,class,age,fare,survived,port"


def passengers(rows: int = 120) -> str:
    """The file's text; the third passenger's name holds a line end."""
    chance = random.Random(7)
    lines = [COLUMNS]
    for number in range(1, rows + 1):
        sex = chance.choice(["female", "male", "male"])
        level = chance.choices(["First", "Second", "Third"], [2, 2, 4])[0]
        fare = {"First": 80, "Second": 21, "Third": 11}[level] * chance.uniform(0.6, 1.6)
        age = "" if chance.random() < 0.15 else str(chance.randint(1, 74))
        name = '"Holm,\nElsa"' if number == 3 else f'"Reed, {number}"'
        port = chance.choices(["Southampton", "Cherbourg", "Queenstown"], [7, 2, 1])[0]
        lines.append(f"{number},{name},{sex},{level},{age},{fare:.2f},{int(chance.random() < 0.4)},{port}")
    return "\n".join(lines) + "\n"


def write_passengers(folder: Path) -> Path:
    """The file in a folder."""
    path = folder / "passengers.csv"
    path.write_text(passengers(), encoding="utf-8")
    return path
