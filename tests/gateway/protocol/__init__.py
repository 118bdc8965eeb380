"""The wire itself: what every request may look like, and what comes back."""
