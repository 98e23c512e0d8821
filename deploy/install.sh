#!/bin/sh
# Makes services of what lies in /opt/surehand: the account, its folders, the units, the first admin and the desktops.
# May be run again at any time: what is there stays as it is, units are renewed. Where a file of /etc/surehand says otherwise
# than what is asked, or another web process is enabled, that is named and nothing is done.
#
#   deploy/install.sh desk=:0                          a robot on a display that is there
#   deploy/install.sh --display desk=:10               the same, and the display as a unit of its own (xvfb, openbox, xauth)
#   deploy/install.sh er=vnc://er-12.example:5901      a robot on a desktop of another machine
#   --port N        of the web process (that which is enabled, else 5005)
#   --dry-run       only says what would be done
#   --root FOLDER   into this folder in the place of /, for an image: nothing is started, and no database made
set -eu
here=$(cd "$(dirname "$0")" && pwd)
home=/opt/surehand root= dry= port= robots= displays=

die() { printf '%s\n' "$*" >&2; exit 1; }
do_() { if [ "$dry" ]; then printf '%s\n' "$*"; else "$@"; fi; }
robot() { # NAME=DESKTOP
  case $1 in [a-z0-9]*=?*) ;; *) die "A robot is said as NAME=DESKTOP, such as desk=:0, not “$1”." ;; esac
  case ${1%%=*} in *[!a-z0-9-]*) die "A robot's name has small letters, digits and hyphens alone, not “${1%%=*}”." ;; esac
  robots="$robots $1"
}

while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry=yes ;;
    --root) [ $# -gt 1 ] || die "--root takes a folder."; root=$2; shift ;;
    --port) [ $# -gt 1 ] || die "--port takes a number."; port=$2
      case $port in ''|*[!0-9]*) die "--port takes a number, not “$port”." ;; esac
      shift ;;
    --display)
      [ $# -gt 1 ] || die "--display takes NAME=:NUMBER."
      case ${2#*=} in :[0-9]*) ;; *) die "A display of its own is said as NAME=:NUMBER, not “$2”." ;; esac
      robot "$2"; displays="$displays ${2%%=*}"; shift ;;
    -*) die "There is no option $1; the head of $0 says which there are." ;;
    *) robot "$1" ;;
  esac
  shift
done

if [ -z "$root$dry" ]; then
  [ "$(id -u)" = 0 ] || die "This makes an account and units: run it with sudo, or with --dry-run to see what it would do."
  [ "$here" = $home/deploy ] || die "The units are for $home: put Surehand there (this is ${here%/deploy}), then run $home/deploy/install.sh."
  [ -x $home/.venv/bin/python ] || die "Run $home/tools/setup.sh first."
fi

webs=
for unit in "$root"/etc/systemd/system/surehand.target.wants/surehand-web@*.service; do
  [ ! -L "$unit" ] || { unit=${unit##*/}; webs="$webs ${unit%.service}"; }
done
case " $webs " in
  "  ") webs=surehand-web@${port:=5005} ;;
  *" surehand-web@$port "*) ;;
  *) [ -z "$port" ] || die "Enabled is$webs. To have another port in its place, run systemctl disable --now$webs first; nothing was done." ;;
esac

of_robot() { # NAME=DESKTOP: the lines of its file
  printf 'DESKTOP=%s\n' "${1#*=}"
  case " $displays " in *" ${1%%=*} "*) printf 'XAUTHORITY=/run/surehand-desktop-%s/xauthority\n' "${1%%=*}" ;; esac
}
for each in $robots; do
  file=$root/etc/surehand/${each%%=*}.env
  [ ! -e "$file" ] || of_robot "$each" | while read -r line; do
    grep -qxF -- "$line" "$file" || die "$file is there and does not say $line: change it, or what you ask for; nothing was done."
  done
done

for file in sysusers tmpfiles; do
  do_ install -D -m 644 "$here/surehand.$file" "$root/etc/$file.d/surehand.conf"
done
for unit in "$here"/*.service "$here"/*.timer "$here"/*.target; do
  do_ install -D -m 644 "$unit" "$root/etc/systemd/system/${unit##*/}"
done
do_ systemd-sysusers ${root:+"--root=$root"} "$root/etc/sysusers.d/surehand.conf"

do_ install -d -m 750 "$root/etc/surehand"
units="surehand.target $webs surehand-work surehand-prune.timer"
[ "${port:-5005}" = 5005 ] || printf '%s\n' "Say PORT=$port in $home/.env.local as well."
for each in $robots; do
  name=${each%%=*} file=$root/etc/surehand/${each%%=*}.env
  if [ -e "$file" ]; then printf '%s\n' "$file is there and stays as it is."
  elif [ "$dry" ]; then of_robot "$each" | while read -r line; do printf '%s: %s\n' "$file" "$line"; done
  else (umask 027; of_robot "$each" > "$file"); fi
  case " $displays " in *" $name "*) units="$units surehand-desktop@$name" ;; esac
  units="$units surehand-runloop@$name"
done
do_ systemd-tmpfiles --create ${root:+"--root=$root"} "$root/etc/tmpfiles.d/surehand.conf"

if [ -z "$root" ]; then
  [ "$dry" ] || cd $home
  for command in "migrate -v0" first_admin; do
    # shellcheck disable=SC2086
    do_ runuser -u surehand -- .venv/bin/python manage.py $command
  done
  do_ systemctl daemon-reload
fi
# shellcheck disable=SC2086
do_ systemctl ${root:+"--root=$root"} enable $units
if [ -z "$root" ]; then
  # shellcheck disable=SC2086
  do_ systemctl start $units
fi
