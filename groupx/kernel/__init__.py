"""The floor: values and tables that every app may import. Imports nothing of ours."""
