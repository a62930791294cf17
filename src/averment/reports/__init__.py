"""How it is told: one document, rendered as Markdown or as one self-contained HTML file."""
