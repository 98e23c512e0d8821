"""A desktop of another machine, shown by a client of VNC or RDP on a display of our own."""
