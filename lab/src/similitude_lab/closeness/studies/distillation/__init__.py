"""Students distilled from teachers, by divergences and by logits."""
