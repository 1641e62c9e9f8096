"""The texts of a page: findings, warnings, tables, settings."""
