from rpa_site.people import register

register()
