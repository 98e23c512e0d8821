#!/bin/sh
# A display with a window manager and a key of its own, for as long as both live; DESKTOP, XAUTHORITY, SCREEN and START say which.
set -eu
log=${XAUTHORITY%/*}/display.log # systemd's stderr is a socket, which nobody can open by name as xvfb-run would
: > "$log"
tail -f --pid=$$ "$log" >&2 &
exec xvfb-run --server-num="${DESKTOP#:}" --auth-file="$XAUTHORITY" --error-file="$log" \
  --server-args="-screen 0 $SCREEN -nolisten tcp -noreset" openbox --startup "$START"
