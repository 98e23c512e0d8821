"""Words of interfaces that mean the same in English, French, German and Spanish: a program in another language.

Only the labels that nearly every program has, and only whole labels: "Save" is "Enregistrer", but what "Save" means
inside of a longer label is nobody's guess. One word may mean two things ("Annuler" is both Cancel and Undo).
"""

from __future__ import annotations

import re
from functools import lru_cache

from execution.language.fuzzy import words

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
edit; édition; modifier; éditer; bearbeiten; editar
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
bookmarks; favourites; favorites; signets; favoris; marque-pages; lesezeichen; marcadores; favoritos
history; historique; verlauf; historial
terminal; konsole
documents; dokumente; documentos
project; projet; projekt; proyecto
build; construire; construir
calculator; calculatrice; rechner; taschenrechner; calculadora
payments; paiements; règlements; zahlungen; pagos
bank; banque; banco
entries; écritures; einträge; buchungen; asientos; entradas
invoices; factures; rechnungen; facturas
back; previous; précédent; zurück; anterior
increase indent; augmenter l'indentation; einzug vergrößern; aumentar sangría
decrease indent; diminuer l'indentation; einzug verkleinern; disminuir sangría
comma; virgule; komma; coma
settings; paramètres; réglages; einstellungen; configuración; ajustes
preferences; préférences; einstellungen; preferencias
options; optionen; opciones
format; formatieren; formato
help; aide; hilfe; ayuda
about; à propos; über; acerca de
file; fichier; datei; archivo
view; affichage; ansicht; ver
tools; outils; werkzeuge; extras; herramientas
window; fenêtre; fenster; ventana
insert; insertion; insérer; einfügen; insertar
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
all; tous; toutes; tout; alle; todos; todo
none; aucun; aucune; keine; ninguno
today; aujourd'hui; heute; hoy
yesterday; hier; gestern; ayer
tomorrow; demain; morgen; mañana
day; jour; tag; día
week; semaine; woche; semana
month; mois; monat; mes
year; année; jahr; año
time; heure; uhrzeit; hora
calendar; calendrier; agenda; kalender; calendario
appointment; rendez-vous; termin; cita
appointments; rendez-vous; termine; citas
schedule; planning; horaire; zeitplan; horario
inbox; boîte de réception; posteingang; bandeja de entrada
outbox; boîte d'envoi; postausgang; bandeja de salida
sent; envoyés; éléments envoyés; gesendet; enviados
drafts; brouillons; entwürfe; borradores
trash; bin; recycle bin; corbeille; papierkorb; papelera
spam; junk; indésirables; courrier indésirable
archive; archiver; archives; archivieren; archivo; archivar
message; nachricht; mensaje
messages; nachrichten; mensajes
reply; répondre; antworten; responder
reply all; répondre à tous; allen antworten; responder a todos
forward; transférer; weiterleiten; reenviar
attach; joindre; pièce jointe; anhängen; adjuntar
attachments; pièces jointes; anhänge; adjuntos
subject; objet; sujet; betreff; asunto
to; à; an; para
from; de; von
contacts; kontakte; contactos
users; utilisateurs; benutzer; usuarios
user; utilisateur; benutzer; usuario
account; compte; konto; cuenta
accounts; comptes; konten; cuentas
profile; profil; perfil
role; rôle; rolle; rol
roles; rôles; rollen
rights; permissions; droits; autorisations; rechte; berechtigungen; permisos
security; sécurité; sicherheit; seguridad
privacy; confidentialité; datenschutz; privacidad
notifications; benachrichtigungen; notificaciones
language; langue; sprache; idioma
region; région
theme; thème; thema; tema
appearance; apparence; aussehen; apariencia
display; affichage; anzeige; pantalla
general; général; allgemein
advanced; avancé; erweitert; avanzado
remote access; accès à distance; fernzugriff; acceso remoto
home page; page d'accueil; startseite; página de inicio
printer; imprimante; drucker; impresora
printers; imprimantes; drucker; impresoras
network; réseau; netzwerk; red
device; appareil; périphérique; gerät; dispositivo
devices; appareils; périphériques; geräte; dispositivos
sound; son; ton; sonido
volume; lautstärke; volumen
update; mettre à jour; mise à jour; aktualisierung; actualización
install; installer; installieren; instalar
uninstall; désinstaller; deinstallieren; desinstalar
enable; activer; aktivieren; activar
disable; désactiver; deaktivieren; desactivar
lock; verrouiller; sperren; bloquear
unlock; déverrouiller; entsperren; desbloquear
show; afficher; anzeigen; mostrar
hide; masquer; ausblenden; ocultar
filter; filtrer; filtre; filtern; filtro
filters; filtres; filter; filtros
sort; trier; sortieren; ordenar
group; groupe; gruppe; grupo
rename; renommer; umbenennen; renombrar
move; déplacer; verschieben; mover
duplicate; dupliquer; duplizieren; duplicar
share; partager; teilen; compartir
upload; téléverser; hochladen; subir
browse; parcourir; durchsuchen; examinar
choose; choisir; auswählen; elegir
select; sélectionner; auswählen; seleccionar
confirm; confirmer; bestätigen; confirmar
accept; accepter; akzeptieren; annehmen; aceptar
refuse; reject; decline; refuser; rejeter; ablehnen; rechazar
approve; approuver; genehmigen; aprobar
validate; valider; prüfen; validar
sign; signer; unterschreiben; firmar
create; créer; erstellen; crear
start; démarrer; commencer; starten; iniciar
stop; arrêter; stopper; anhalten; detener
pause; anhalten; pausa; pausar
run; exécuter; ausführen; ejecutar
exit; quitter; beenden; salir
restore; restaurer; wiederherstellen; restaurar
clear; effacer; vider; leeren; borrar; limpiar
calculate; calculer; berechnen; calcular
book; réserver; comptabiliser; buchen; reservar
pay; payer; bezahlen; pagar
order now; commander; bestellen; pedir
add to cart; add to basket; ajouter au panier; in den warenkorb; añadir al carrito
cart; basket; panier; warenkorb; carrito
checkout; passer la commande; zur kasse; finalizar compra
payment; paiement; zahlung; pago
payments; paiements; zahlungen; pagos
total; gesamt; summe
subtotal; sous-total; zwischensumme
vat; tva; mwst; iva
discount; remise; rabatt; descuento
customers; clients; kunden; clientes
supplier; fournisseur; lieferant; proveedor
suppliers; fournisseurs; lieferanten; proveedores
product; produit; produkt; producto
products; produits; produkte; productos
item; article; artikel; artículo
items; articles; artikel; artículos
stock; inventory; stocks; inventaire; lager; inventario
orders; commandes; bestellungen; pedidos
invoices; factures; rechnungen; facturas
quote; devis; angebot; presupuesto
quotes; devis; angebote; presupuestos
contract; contrat; vertrag; contrato
contracts; contrats; verträge; contratos
documents; dokumente; documentos
document; dokument; documento
files; fichiers; dateien; archivos
folder; dossier; ordner; carpeta
folders; dossiers; ordner; carpetas
report; rapport; état; bericht; informe
reports; rapports; états; berichte; informes
statistics; statistiques; statistik; estadísticas
dashboard; tableau de bord; übersicht; panel
overview; aperçu; vue d'ensemble; übersicht; resumen
summary; résumé; synthèse; zusammenfassung; resumen
history; historique; verlauf; historial
journal; log; protokoll; registro
entries; écritures; entrées; einträge; entradas
ledger; grand livre; hauptbuch; libro mayor
bank; banque; bank; banco
tasks; tâches; aufgaben; tareas
task; tâche; aufgabe; tarea
projects; projets; projekte; proyectos
project; projet; projekt; proyecto
team; équipe; team; equipo
employees; employés; collaborateurs; mitarbeiter; empleados
department; service; département; abteilung; departamento
company; société; entreprise; firma; empresa
comments; commentaires; kommentare; comentarios
comment; commentaire; kommentar; comentario
status; statut; état; estado
priority; priorité; priorität; prioridad
type; typ; tipo
category; catégorie; kategorie; categoría
reference; référence; referenz; referencia
number; numéro; nummer; número
gender; sex; sexe; geschlecht; sexo
age; âge; alter; edad
mobile; portable; handy; móvil
fax; télécopie
website; site web; webseite; sitio web
patients; patienten; pacientes
doctor; physician; médecin; arzt; médico
nurse; infirmier; infirmière; pflegekraft; enfermera
ward; unit; unité; station
bed; lit; bett; cama
beds; lits; betten; camas
room; chambre; salle; zimmer; habitación
admission; admissions; aufnahme; ingreso
discharge; sortie; entlassung; alta
transfer; transfert; verlegung; traslado
results; résultats; ergebnisse; resultados
examinations; exams; examens; untersuchungen; exámenes
prescriptions; ordonnances; rezepte; recetas
prescription; ordonnance; rezept; receta
medication; médicaments; medikamente; medicación
allergies; allergien; alergias
diagnosis; diagnostic; diagnose; diagnóstico
treatment; traitement; behandlung; tratamiento
vital signs; signes vitaux; constantes; vitalzeichen; signos vitales
laboratory; lab; laboratoire; labor; laboratorio
imaging; imagerie; bildgebung; imagen
emergency; urgence; urgences; notfall; urgencias
insurance; assurance; versicherung; seguro
visits; visites; besuche; visitas
knowledge base; base de connaissances; wissensdatenbank; base de conocimientos
map; carte; karte; mapa
weather; météo; wetter; tiempo
music; musique; musik; música
pictures; images; bilder; imágenes
english; anglais; englisch; inglés
french; français; französisch; francés
german; allemand; deutsch; alemán
spanish; espagnol; spanisch; español
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


def is_known(label: str) -> bool:
    """Whether a whole label is one of those that nearly every program has."""
    return words(label).key in _groups()


@lru_cache(1)
def known_words() -> frozenset[str]:
    """The single words of those labels."""
    return frozenset(words(word).key for word in re.findall(r"[^\W\d_]+", _MEANINGS))
