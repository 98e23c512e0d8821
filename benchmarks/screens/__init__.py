"""Screens with their truth, made on this machine: web pages in Chromium, and real applications under Xvfb."""
