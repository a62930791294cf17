"""One small plugin for each extension point of Averment."""
