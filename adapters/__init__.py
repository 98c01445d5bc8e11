"""Native protocols: how each kind of agent CLI is spoken to. Knows no Django and no other app."""
