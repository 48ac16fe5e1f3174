"""Self-play training of policies for `samurai_env`."""
