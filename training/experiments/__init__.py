"""Experiments that are kept with their figures; docs/training.md shows what came of them."""
