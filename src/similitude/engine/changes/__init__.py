"""`diff`: one model before and after a change, layer by layer."""
