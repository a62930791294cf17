"""Reading files: separated text, JSON and workbooks become staged tables of text."""
