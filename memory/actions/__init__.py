"""One verb per file; each joins the transaction of the command that it is a part of."""
