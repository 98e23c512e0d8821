"""Where the drawings come from: icon sets of npm and icon themes of Debian; none is kept in the tree."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Source(NamedTuple):
    """A family of icons: drawn by the same hands, so that learning and judging keep them apart."""

    family: str
    folder: str
    licence: str
    package: str


NPM = (
    Source("lucide", "lucide-static/icons", "ISC", "lucide-static"),
    Source("tabler", "@tabler/icons/icons", "MIT", "@tabler/icons"),
    Source("bootstrap", "bootstrap-icons/icons", "MIT", "bootstrap-icons"),
    Source("remix", "remixicon/icons", "Apache-2.0", "remixicon@4.5.0"),
    Source("phosphor", "@phosphor-icons/core/assets", "MIT", "@phosphor-icons/core"),
    Source("ionicons", "ionicons/dist/svg", "MIT", "ionicons"),
    Source("feather", "feather-icons/dist/icons", "MIT", "feather-icons"),
    Source("heroicons", "heroicons/24", "MIT", "heroicons"),
    Source("octicons", "@primer/octicons/build/svg", "MIT", "@primer/octicons"),
    Source("boxicons", "boxicons/svg", "MIT", "boxicons"),
    Source("fontawesome", "@fortawesome/fontawesome-free/svgs", "CC-BY-4.0", "@fortawesome/fontawesome-free"),
    Source("material", "@material-design-icons/svg", "Apache-2.0", "@material-design-icons/svg"),
    Source("mdi", "@mdi/svg/svg", "Apache-2.0", "@mdi/svg"),
    Source("carbon", "@carbon/icons/svg/32", "Apache-2.0", "@carbon/icons"),
    Source("codicons", "@vscode/codicons/src/icons", "CC-BY-4.0", "@vscode/codicons"),
    Source("eva", "eva-icons", "MIT", "eva-icons"),
    Source("cssgg", "css.gg/icons/svg", "MIT", "css.gg"),
    Source("line-awesome", "line-awesome/svg", "MIT", "line-awesome"),
    Source("fluent", "@fluentui/svg-icons/icons", "MIT", "@fluentui/svg-icons"),
    Source("ant", "@ant-design/icons-svg/inline-svg", "MIT", "@ant-design/icons-svg"),
)
DEBIAN = (
    Source("papirus", "Papirus/24x24", "GPL-3.0", "papirus-icon-theme"),
    Source("breeze", "breeze", "LGPL-3.0", "breeze-icon-theme"),
    Source("adwaita", "Adwaita", "CC-BY-SA-3.0", "adwaita-icon-theme"),
    Source("oxygen", "oxygen/base/32x32", "LGPL-3.0", "oxygen-icon-theme"),
    Source("elementary", "elementary-xfce", "GPL-2.0", "elementary-xfce-icon-theme"),
    Source("tango", "Tango", "public domain", "tango-icon-theme"),
    Source("mate", "mate/32x32", "CC-BY-SA-3.0", "mate-icon-theme"),
    Source("menta", "menta/32x32", "CC-BY-SA-3.0", "mate-icon-theme"),
    Source("numix", "Numix/24", "GPL-3.0", "numix-icon-theme"),
    Source("suru", "suru", "CC-BY-SA-4.0", "suru-icon-theme"),
    Source("yaru", "Yaru", "CC-BY-SA-4.0", "yaru-theme-icon"),
    Source("bloom", "bloom", "LGPL-3.0", "deepin-icon-theme"),
    Source("obsidian", "Obsidian", "GPL-3.0", "obsidian-icon-theme"),
    Source("moka", "Moka/32x32", "CC-BY-SA-4.0", "moka-icon-theme"),
    Source("paper", "Paper", "CC-BY-SA-4.0", "paper-icon-theme"),
    Source("nuovext", "nuoveXT2", "LGPL-3.0", "lxde-icon-theme"),
    Source("gnome", "gnome/32x32", "LGPL-3.0", "gnome-icon-theme"),
    Source("faenza", "Faenza", "GPL-3.0", "faenza-icon-theme"),
)
# Never learned from: what is told of families that were not seen is told of these.
HELD_OUT = ("heroicons", "carbon", "line-awesome", "ant", "oxygen", "suru", "elementary")
# Never learned from, in any family: this share of the names.
HELD_OUT_NAMES = 0.2


def files(folder: Path) -> dict[str, list[Path]]:
    """The drawings of each family; `folder` holds `node_modules` and `icons` (usr/share/icons of the packages)."""
    found = {}
    for sources, root in ((NPM, folder / "node_modules"), (DEBIAN, folder / "icons")):
        for source in sources:
            among = root / source.folder
            drawn = sorted(
                p for p in among.rglob("*") if p.suffix in (".svg", ".png") and p.is_file() and not _is_other(p)
            )
            found[source.family] = drawn
    return found


def _is_other(path: Path) -> bool:
    """Brands and faces of applications are pictures of themselves, tiny sizes are drawn apart, and what is for scripts
    that run from right to left is the mirror of its name."""
    parts = set(path.parts)
    if "rtl" in path.stem.lower() or "RTL" in parts:
        return True
    return bool(
        parts & {"brands", "logos", "apps", "categories", "mimetypes", "emotes", "emoji", "animations", "16x16", "8x8"}
    )


if __name__ == "__main__":
    print(*(source.package for source in NPM))
