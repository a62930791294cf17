"""The assistant's state: conversations, questions, tasks, reminders and users."""
