"""What goes over the wire to servers of models: bounded, checked, its failures typed."""
