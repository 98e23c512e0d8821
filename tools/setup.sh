#!/bin/sh
# Installs what the product lacks: system packages, then the virtual environment. Quick when nothing is to do.
#
#   tools/setup.sh         what `make run` needs: the defaults', and with an NVIDIA GPU what `make models` installs
#   tools/setup.sh models  besides, PyTorch and what stands on it: open_clip, easyocr
#   tools/setup.sh dev     what `make test` and `make lint` need besides the defaults'
#   tools/setup.sh all     what `make test-all` needs: models, servers, viewers of remote desktops and more programs
#   tools/setup.sh mutation  what the benchmark `mutation` needs besides dev
#   tools/setup.sh bench   what the benchmarks of seeing need besides all: programs, fonts, readers
set -eu
cd "$(dirname "$0")/.."
kind=${1:-run}

say() { printf '%s\n' "· $*"; }

packages="python3 python3-venv gettext xvfb xauth openbox mousepad dbus dbus-x11 x11-xkb-utils fonts-dejavu-core adwaita-icon-theme \
gsettings-desktop-schemas libgl1 libglib2.0-0 librsvg2-common shared-mime-info"
case $kind in run|models) ;; *) packages="$packages git chromium libatomic1" ;; esac
case $kind in all|bench)
  packages="$packages strace tesseract-ocr tesseract-ocr-fra xdotool python3-tk pcmanfm tigervnc-viewer tigervnc-tools \
tigervnc-scraping-server tigervnc-standalone-server freerdp2-x11 freerdp2-shadow-x11 postgresql redis-server nginx-light"
esac
if [ "$kind" = bench ]; then
  command -v npm >/dev/null || packages="$packages npm"
  packages="$packages galculator lxterminal geany l3afpad gtk-3-examples featherpad featherpad-l10n qterminal \
qterminal-l10n speedcrunch qpdfview lximage-qt lximage-qt-l10n pcmanfm-qt pcmanfm-qt-l10n libfm-qt-l10n \
qttranslations5-l10n qt5ct adwaita-qt at-spi2-core gir1.2-atspi-2.0 python3-gi locales fontconfig fonts-liberation \
fonts-noto-core fonts-roboto-unhinted fonts-open-sans fonts-lato sqlitebrowser keepassxc homebank osmo xarchiver \
gucharmap gtkhash meld gpicview grisbi gnumeric libatk-adaptor arc-theme numix-gtk-theme materia-gtk-theme \
greybird-gtk-theme gtk2-engines-murrine gtk2-engines-pixbuf qt5-style-kvantum qt5-style-plugins papirus-icon-theme \
breeze-icon-theme elementary-xfce-icon-theme oxygen-icon-theme tango-icon-theme mate-icon-theme"
fi

missing=
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
  if ! command -v apt-get >/dev/null; then
    say "These are not managed by apt here; make sure that they are installed:$missing"
  else
    as_root=
    if [ "$(id -u)" != 0 ]; then
      if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root=sudo; else
        say "System packages are missing and may not be installed by $(id -un). Type, then run this again:"
        printf '    sudo apt-get install --no-install-recommends%s\n' "$missing"
        exit 1
      fi
    fi
    say "Installing system packages:$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
  fi
fi

python=
for candidate in python3.11 python3.12 python3.13 python3; do
  if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
  then python=$candidate; break; fi
done
[ -n "$python" ] || { say "Python 3.11 or later with venv is needed and was not found."; exit 1; }
[ -x .venv/bin/python ] || { say "Making the virtual environment with $("$python" --version)"; "$python" -m venv .venv; }

install() { # FILE [WHAT IT COSTS]
  stamp=.venv/.installed-$1
  wanted=$(cat requirements*.txt | sha256sum)
  if [ "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ]; then
    say "Installing $1${2:+ (the first time $2)}"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input -r "$1"
    # pyautogui brings python3-xlib 0.15, which writes into the same folder as python-xlib: the newer one has to win
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --force-reinstall \
      "$(grep -i '^python-xlib==' requirements-base.txt)"
    printf '%s' "$wanted" > "$stamp"
  fi
}
# What was installed once is kept up to date, so that a setting that was made for it holds after the next version too.
case $kind in models|all|bench) models=yes ;; *) models=; [ ! -e .venv/.installed-requirements.txt ] || models=yes ;; esac
[ "$kind" != run ] || [ ! -e /dev/nvidia0 ] || models=yes
if [ "$models" ]; then
  install requirements.txt "several minutes and 7 GB"
else
  install requirements-base.txt "about a minute and 700 MB"
fi
case $kind in run|models) ;; *) install requirements-dev.txt ;; esac
case $kind in all|bench) install requirements-all.txt ;; esac
case $kind in bench|mutation) install "requirements-$kind.txt" ;; esac

# Translations are made from what is written: git keeps the sentences alone.
for sentences in */locale/*/LC_MESSAGES/*.po; do
  made=${sentences%.po}.mo
  [ "$made" -nt "$sentences" ] || msgfmt --check-format -o "$made" "$sentences"
done
