"""Talks to the assistant: tasks, a question before anything is lost, and a question handed to the analyst.

python examples/talk.py
"""

from pathlib import Path

from averment import Workbench

SALES = Path(__file__).parent / "sales.csv"


def main() -> None:
    """Say a few things in one conversation and print the answers."""
    with Workbench() as workbench:
        conversation = workbench.assistant.attach([str(SALES)])
        for words in (
            "remind me to call Anna",
            "add milk and eggs to my list",
            "show my tasks",
            "complete the first one",
            "delete the last one",
            "yes",
            "undo",
            "total amount by region in 2024",
        ):
            answer = workbench.chat(words, conversation_id=conversation)
            print(f"> {words}\n{answer.response}\n")


if __name__ == "__main__":
    main()
