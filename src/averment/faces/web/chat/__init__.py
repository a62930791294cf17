"""The pages of the conversation: thread, tasks and reminders."""
