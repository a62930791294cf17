"""The analyst: questions about tables, read by rules, answered by queries, told with proof."""
