#!/bin/sh
# A display with a window manager and a key of its own, for as long as both live; DESKTOP, XAUTHORITY, SCREEN and START say which.
set -eu
exec xvfb-run --server-num="${DESKTOP#:}" --auth-file="$XAUTHORITY" --error-file=/dev/stderr \
  --server-args="-screen 0 $SCREEN -nolisten tcp -noreset" openbox --startup "$START"
