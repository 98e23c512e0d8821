"""What the product is measured by; its sentences need its settings before anything of it is imported."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
