"""`similitude report`, and the page that `compare --report` writes during a run."""
