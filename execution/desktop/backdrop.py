"""Words on an empty X11 desktop: what a demonstration shows, and sees, when its application is closed.

python -m execution.desktop.backdrop :99 "Surehand demo desktop"
"""

from __future__ import annotations

import sys

TEXT = "Surehand demo desktop"
COLOUR = (38, 50, 68)
INK = (196, 205, 218)
PLACE = (48, 36)
SIZE_PX = 24


def paint(display_name: str, text: str = TEXT) -> None:
    """Make the root window's background a plain colour with `text` at its top left; it stays when we are gone."""
    from PIL import Image, ImageDraw, ImageFont
    from Xlib.display import Display

    display = Display(display_name)
    try:
        screen = display.screen()
        size = (screen.width_in_pixels, screen.height_in_pixels)
        image = Image.new("RGB", size, COLOUR)
        ImageDraw.Draw(image).text(PLACE, text, fill=INK, font=ImageFont.load_default(SIZE_PX))
        pixmap = screen.root.create_pixmap(*size, screen.root_depth)
        pixmap.put_pil_image(pixmap.create_gc(), 0, 0, image)
        screen.root.change_attributes(background_pixmap=pixmap)
        screen.root.clear_area(0, 0, *size)
        display.sync()
    finally:
        display.close()


if __name__ == "__main__":
    paint(*sys.argv[1:3])
