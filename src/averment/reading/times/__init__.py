"""Time in questions: periods, clock times, durations and deviations as conditions."""
