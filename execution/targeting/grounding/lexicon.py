"""Words of interfaces that mean the same in English, French, German and Spanish: a program in another language.

Only the labels that nearly every program has, and only whole labels: "Save" is "Enregistrer", but what "Save" means
inside of a longer label is nobody's guess. One word may mean two things ("Annuler" is both Cancel and Undo).
"""

from __future__ import annotations

from functools import lru_cache

from execution.navigation.words import words

_MEANINGS = """
ok; valider; bestätigen; aceptar
cancel; annuler; abbrechen; cancelar
undo; annuler; rückgängig; deshacer
redo; rétablir; wiederherstellen; rehacer
save; enregistrer; sauvegarder; speichern; guardar
save as; enregistrer sous; speichern unter; guardar como
open; ouvrir; öffnen; abrir
close; fermer; schließen; cerrar
quit; quitter; beenden; salir
new; nouveau; nouvelle; neu; nuevo; nueva
delete; supprimer; löschen; eliminar
remove; retirer; enlever; entfernen; quitar
add; ajouter; hinzufügen; añadir; agregar
edit; modifier; éditer; bearbeiten; editar
copy; copier; kopieren; copiar
cut; couper; ausschneiden; cortar
paste; coller; einfügen; pegar
select all; tout sélectionner; alles auswählen; seleccionar todo
search; rechercher; recherche; suchen; suche; buscar
find; trouver; rechercher; suchen; buscar
replace; remplacer; ersetzen; reemplazar
print; imprimer; drucken; imprimir
next; suivant; suivante; weiter; siguiente
previous; précédent; précédente; vorherige; anterior
back; retour; zurück; atrás; volver
continue; continuer; fortfahren; continuar
finish; terminer; fertigstellen; finalizar
yes; oui; ja; sí
no; non; nein
apply; appliquer; anwenden; aplicar
reset; réinitialiser; zurücksetzen; restablecer
refresh; actualiser; aktualisieren; actualizar
send; envoyer; senden; enviar
submit; soumettre; absenden; enviar
download; télécharger; herunterladen; descargar
import; importer; importieren; importar
export; exporter; exportieren; exportar
print preview; aperçu avant impression; druckvorschau; vista previa de impresión
settings; paramètres; réglages; einstellungen; configuración; ajustes
preferences; préférences; einstellungen; preferencias
options; optionen; opciones
help; aide; hilfe; ayuda
about; à propos; über; acerca de
file; fichier; datei; archivo
view; affichage; ansicht; ver
tools; outils; werkzeuge; extras; herramientas
window; fenêtre; fenster; ventana
insert; insérer; einfügen; insertar
log in; login; sign in; connexion; se connecter; anmelden; iniciar sesión
log out; logout; sign out; déconnexion; se déconnecter; abmelden; cerrar sesión
user name; username; nom d'utilisateur; identifiant; benutzername; nombre de usuario
password; mot de passe; kennwort; passwort; contraseña
first name; given name; prénom; vorname; nombre
last name; surname; family name; nom; nom de famille; nachname; apellido; apellidos
name; nom; nombre
date of birth; birth date; date de naissance; geburtsdatum; fecha de nacimiento
date; datum; fecha
address; adresse; anschrift; dirección
street; rue; straße; calle
city; town; ville; stadt; ort; ciudad
postcode; postal code; zip code; zip; code postal; postleitzahl; plz; código postal
country; pays; land; país
phone; telephone; téléphone; telefon; teléfono
e-mail; email; mail; courriel; adresse e-mail; correo electrónico
patient; paciente
customer; client; kunde; cliente
invoice; facture; rechnung; factura
order; commande; bestellung; pedido
amount; montant; betrag; importe
quantity; quantité; menge; cantidad
price; prix; preis; precio
description; beschreibung; descripción
notes; remarques; notizen; notas
title; titre; titel; título
yes to all; oui pour tout; ja für alle
don't save; ne pas enregistrer; nicht speichern; no guardar
retry; try again; réessayer; wiederholen; reintentar
skip; ignorer; passer; überspringen; omitir
details; détails; detalles
more; plus; mehr; más
home; accueil; startseite; inicio
page; seite; página
zoom in; zoom avant; vergrößern; acercar
zoom out; zoom arrière; verkleinern; alejar
"""


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[int]]:
    """The meanings of each label, by its key: no case, no accents, no spaces."""
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_MEANINGS.strip().splitlines()):
        for label in line.split(";"):
            found.setdefault(words(label.strip()).key, set()).add(number)
    return {key: frozenset(numbers) for key, numbers in found.items()}


def mean_the_same(one: str, other: str) -> bool:
    """Whether two whole labels are known to mean the same, in one language or two."""
    groups = _groups()
    return bool(groups.get(words(one).key, frozenset()) & groups.get(words(other).key, frozenset()))


def mean_different(one: str, other: str) -> bool:
    """Whether both labels are known, and to mean different things: "Save" and "Löschen"."""
    groups = _groups()
    mine, yours = groups.get(words(one).key), groups.get(words(other).key)
    return mine is not None and yours is not None and not mine & yours
