"""The pages of a drill: its steps, its progress and its report."""
