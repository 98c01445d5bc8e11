"""The room's HTTP API as an OpenAPI 3.1 document, and a page to read it."""
