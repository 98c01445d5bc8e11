"""The public transcript as a file: one envelope a line, or Markdown for reading. The same for REST and the command."""
