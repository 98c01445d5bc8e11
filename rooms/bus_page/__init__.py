"""The file bus in the browser: `/bus/<room>`. The bus itself is `rooms.bus` and knows nothing of this."""
