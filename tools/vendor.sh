#!/usr/bin/env bash
# Fetch the front end's libraries from npm again, at the versions below, and write vendor.txt with their hashes.
# The icons are cut down to those that templates and scripts name, the style sheet to the rules that they can use: the
# whole one lies in tools/vendor and is cut again by tools/cut_css.py, without a network, when pages use more of it.
set -euo pipefail
cd "$(dirname "$0")/.."
out=rpa_site/static/rpa_site/vendor
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$out/licences"

fetch() {   # package version: unpacks it, says where
  (cd "$work" && npm pack --silent "$1@$2" | tail -1 | xargs -I{} tar xzf {} && rm -rf "${1//\//_}" && mv package "${1//\//_}")
}
rows=()
take() {   # package version licence file-in-package name [folder]
  local dir="$work/${1//\//_}"
  sed '/sourceMappingURL=/d' "$dir/$4" > "${6:-$out}/$5"
  cp "$dir"/LICENSE* "$out/licences/$(basename "${1//@/}").txt" 2>/dev/null || true
  rows+=("$1 $2 $3 $5 $(sha256sum "${6:-$out}/$5" | cut -d' ' -f1)")
}
fetch @tabler/core 1.6.1;       take @tabler/core 1.6.1 MIT dist/css/tabler.min.css tabler.min.css tools/vendor
fetch cytoscape 3.34.4;         take cytoscape 3.34.4 MIT dist/cytoscape.min.js cytoscape.min.js
fetch dagre 0.8.5;              take dagre 0.8.5 MIT dist/dagre.min.js dagre.min.js
fetch cytoscape-dagre 2.5.0;    take cytoscape-dagre 2.5.0 MIT cytoscape-dagre.js cytoscape-dagre.js
fetch @panzoom/panzoom 4.6.2;   take @panzoom/panzoom 4.6.2 MIT dist/panzoom.min.js panzoom.min.js
fetch uplot 1.6.32;             take uplot 1.6.32 MIT dist/uPlot.iife.min.js uplot.iife.min.js
take uplot 1.6.32 MIT dist/uPlot.min.css uplot.min.css
fetch @tabler/icons 3.51.0
python3 - "$work/@tabler_icons" "$out/tabler-icons.svg" <<'PY'
import re, sys
from pathlib import Path
source, target = Path(sys.argv[1]), Path(sys.argv[2])
texts = [p.read_text() for d in ("templates", "execution", "workflows", "rpa_site") for p in Path(d).rglob("*")
         if p.suffix in (".html", ".js", ".py") and "vendor" not in p.parts]
named = set(re.findall(r"[\"'#]([a-z][a-z0-9]*(?:-[a-z0-9]+)*)[\"'\s)]", "\n".join(texts)))
symbols = []
for name in sorted(named):
    file = source / "icons" / "outline" / f"{name}.svg"
    if file.exists():
        body = re.sub(r"<!--.*?-->", "", file.read_text(), flags=re.S)
        inside = re.search(r"<svg[^>]*>(.*)</svg>", body, flags=re.S)[1]
        inside = re.sub(r'<path stroke="none"[^>]*/>', "", inside)
        symbols.append(f'<symbol id="{name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" '
                       f'stroke-linecap="round" stroke-linejoin="round">{" ".join(inside.split())}</symbol>')
target.write_text('<svg xmlns="http://www.w3.org/2000/svg">\n' + "\n".join(symbols) + "\n</svg>\n")
print(f"{len(symbols)} icons")
PY
cp "$work/@tabler_icons/LICENSE" "$out/licences/icons.txt"
rows+=("@tabler/icons 3.51.0 MIT tabler-icons.svg $(sha256sum "$out/tabler-icons.svg" | cut -d' ' -f1)")
.venv/bin/python tools/cut_css.py
{ echo "# package version licence file sha256"; printf '%s\n' "${rows[@]}"; } > "$out/vendor.txt"
