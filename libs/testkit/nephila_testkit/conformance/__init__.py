"""Suites that every implementation of a port must pass, written against the port alone."""
