"""The trial of 25 actions at 2560×1600: an editor and its file dialog, a calculator, a form in the browser."""
