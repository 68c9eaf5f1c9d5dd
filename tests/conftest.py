"""Fixtures of all tests; those of one folder lie in it."""

pytest_plugins = ["server_fixtures"]
