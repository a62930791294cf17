"""What every page shares: templates, login, sessions, assets, settings."""
