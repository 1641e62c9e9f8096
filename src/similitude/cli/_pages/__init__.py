"""`similitude report` and `similitude view`: HTML pages."""
