# ruff: noqa: E501 -- tables read better in rows
"""What the generated applications speak of: per trade its kinds of record, each with its own fields, tabs and deeds."""

from __future__ import annotations

from dataclasses import dataclass

Pair = tuple[str, str]  # English, French


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of record. `fields` are (label, what its values are: see nodes.value)."""

    one: Pair
    many: Pair
    icon: str
    fields: tuple[tuple[Pair, str], ...]
    tabs: tuple[Pair, Pair, Pair, Pair]
    forms: tuple[Pair, Pair]
    dialogs: tuple[Pair, Pair, Pair]
    actions: tuple[Pair, ...]


PATIENT = Kind(
    one=("Patient", "Patient"), many=("Patients", "Patients"), icon="people",
    fields=((("Name", "Nom"), "person"), (("Born", "Né(e) le"), "date"), (("Arrival", "Arrivée"), "time"), (("Complaint", "Motif"), "complaint"),
            (("Phone", "Téléphone"), "phone"), (("Town", "Ville"), "place"), (("Record no.", "N° de dossier"), "ident")),
    tabs=(("Summary", "Synthèse"), ("Prescriptions", "Prescriptions"), ("Results", "Résultats"), ("Letters", "Courriers")),
    forms=(("Edit identity", "Modifier l'identité"), ("Triage form", "Fiche de tri")),
    dialogs=(("Discharge the patient?", "Confirmer la sortie ?"), ("Assign a bed", "Affecter un lit"), ("Merge two records", "Fusionner deux dossiers")),
    actions=(("Admit", "Admettre"), ("Print labels", "Imprimer les étiquettes"), ("Call", "Appeler"), ("Transfer", "Transférer")),
)  # fmt: skip
EXAM = Kind(
    one=("Examination", "Examen"), many=("Examinations", "Examens"), icon="clipboard2-pulse",
    fields=((("Patient", "Patient"), "person"), (("Requested", "Demandé le"), "date"), (("Hour", "Heure"), "time"), (("Device", "Appareil"), "ident"),
            (("Physician", "Médecin"), "person"), (("Indication", "Indication"), "complaint")),
    tabs=(("Request", "Demande"), ("Images", "Images"), ("Report", "Compte rendu"), ("Billing", "Cotation")),
    forms=(("New request", "Nouvelle demande"), ("Dictate report", "Saisir le compte rendu")),
    dialogs=(("Cancel the examination?", "Annuler l'examen ?"), ("Choose a device", "Choisir un appareil"), ("Sign the report", "Signer le compte rendu")),
    actions=(("Start", "Démarrer"), ("Validate", "Valider"), ("Send", "Envoyer"), ("Postpone", "Reporter")),
)  # fmt: skip
INVOICE = Kind(
    one=("Invoice", "Facture"), many=("Invoices", "Factures"), icon="receipt",
    fields=((("Number", "Numéro"), "ident"), (("Supplier", "Fournisseur"), "person"), (("Date", "Date"), "date"), (("Net", "Montant HT"), "amount"),
            (("Gross", "Montant TTC"), "amount"), (("Subject", "Objet"), "item")),
    tabs=(("Lines", "Lignes"), ("Payments", "Règlements"), ("Attachments", "Pièces jointes"), ("History", "Historique")),
    forms=(("Edit invoice", "Modifier la facture"), ("Credit note", "Saisir un avoir")),
    dialogs=(("Approve the invoice?", "Valider la facture ?"), ("Plan payment", "Planifier le règlement"), ("Attach a file", "Joindre un fichier")),
    actions=(("Approve", "Valider"), ("Pay", "Régler"), ("Dispute", "Contester"), ("Export", "Exporter")),
)  # fmt: skip
ACCOUNT = Kind(
    one=("Account", "Compte"), many=("Accounts", "Comptes"), icon="bank",
    fields=((("Account", "Compte"), "ident"), (("Wording", "Libellé"), "item"), (("Opened", "Ouvert le"), "date"), (("Debit", "Débit"), "amount"),
            (("Credit", "Crédit"), "amount"), (("Owner", "Responsable"), "person")),
    tabs=(("Entries", "Écritures"), ("Balance", "Solde"), ("Budget", "Budget"), ("Notes", "Notes")),
    forms=(("Book an entry", "Saisir une écriture"), ("Edit account", "Modifier le compte")),
    dialogs=(("Close the year?", "Clôturer l'exercice ?"), ("Reconcile", "Lettrer les écritures"), ("Transfer a balance", "Virer un solde")),
    actions=(("Book", "Comptabiliser"), ("Reverse", "Contre-passer"), ("Print ledger", "Imprimer le grand livre"), ("Lock", "Verrouiller")),
)  # fmt: skip
TICKET = Kind(
    one=("Ticket", "Ticket"), many=("Tickets", "Tickets"), icon="ticket-detailed",
    fields=((("Number", "Numéro"), "ident"), (("Subject", "Objet"), "ticket"), (("Requester", "Demandeur"), "person"), (("Created", "Créé le"), "date"),
            (("Hour", "Heure"), "time"), (("Phone", "Téléphone"), "phone")),
    tabs=(("Thread", "Échanges"), ("Tasks", "Tâches"), ("Equipment", "Équipements"), ("Log", "Journal")),
    forms=(("Reply", "Répondre"), ("Edit ticket", "Modifier le ticket")),
    dialogs=(("Close the ticket?", "Clore le ticket ?"), ("Assign to a group", "Affecter à un groupe"), ("Change priority", "Changer la priorité")),
    actions=(("Take", "Prendre en charge"), ("Escalate", "Escalader"), ("Solve", "Résoudre"), ("Merge", "Fusionner")),
)  # fmt: skip
DEVICE = Kind(
    one=("Device", "Matériel"), many=("Devices", "Matériels"), icon="pc-display",
    fields=((("Tag", "Étiquette"), "ident"), (("Model", "Modèle"), "item"), (("User", "Utilisateur"), "person"), (("Bought", "Acheté le"), "date"),
            (("Price", "Prix"), "amount"), (("Site", "Site"), "place")),
    tabs=(("Details", "Détails"), ("Software", "Logiciels"), ("Network", "Réseau"), ("Warranty", "Garantie")),
    forms=(("Edit device", "Modifier le matériel"), ("Lend device", "Prêter le matériel")),
    dialogs=(("Retire the device?", "Réformer le matériel ?"), ("Scan the network", "Balayer le réseau"), ("Install software", "Installer un logiciel")),
    actions=(("Lend", "Prêter"), ("Repair", "Réparer"), ("Move", "Déplacer"), ("Retire", "Réformer")),
)  # fmt: skip
ARTICLE = Kind(
    one=("Article", "Article"), many=("Articles", "Articles"), icon="box-seam",
    fields=((("Reference", "Référence"), "ident"), (("Name", "Désignation"), "item"), (("Price", "Prix"), "amount"), (("Stock", "Stock"), "number"),
            (("Supplier", "Fournisseur"), "person"), (("Last count", "Inventorié le"), "date")),
    tabs=(("Sheet", "Fiche"), ("Movements", "Mouvements"), ("Suppliers", "Fournisseurs"), ("Pictures", "Photos")),
    forms=(("Edit article", "Modifier l'article"), ("Count stock", "Saisir l'inventaire")),
    dialogs=(("Delete the article?", "Supprimer l'article ?"), ("Order again", "Réapprovisionner"), ("Change shelf", "Changer d'emplacement")),
    actions=(("Order", "Commander"), ("Receive", "Réceptionner"), ("Issue", "Sortir du stock"), ("Count", "Inventorier")),
)  # fmt: skip
DELIVERY = Kind(
    one=("Delivery", "Livraison"), many=("Deliveries", "Livraisons"), icon="truck",
    fields=((("Number", "Numéro"), "ident"), (("Carrier", "Transporteur"), "person"), (("Day", "Jour"), "date"), (("Hour", "Heure"), "time"),
            (("Town", "Ville"), "place"), (("Parcels", "Colis"), "number")),
    tabs=(("Parcels", "Colis"), ("Route", "Tournée"), ("Proof", "Preuve"), ("Complaints", "Réclamations")),
    forms=(("Plan delivery", "Planifier la livraison"), ("Report damage", "Déclarer une avarie")),
    dialogs=(("Confirm receipt?", "Confirmer la réception ?"), ("Choose a carrier", "Choisir un transporteur"), ("Split the delivery", "Scinder la livraison")),
    actions=(("Dispatch", "Expédier"), ("Track", "Suivre"), ("Return", "Retourner"), ("Print note", "Imprimer le bon")),
)  # fmt: skip
EMPLOYEE = Kind(
    one=("Employee", "Salarié"), many=("Employees", "Salariés"), icon="person-badge",
    fields=((("Name", "Nom"), "person"), (("Badge", "Matricule"), "ident"), (("Hired", "Embauché le"), "date"), (("Phone", "Téléphone"), "phone"),
            (("Salary", "Salaire"), "amount"), (("Site", "Site"), "place")),
    tabs=(("Contract", "Contrat"), ("Absences", "Absences"), ("Training", "Formations"), ("Documents", "Documents")),
    forms=(("Edit contract", "Modifier le contrat"), ("Request leave", "Demander un congé")),
    dialogs=(("End the contract?", "Mettre fin au contrat ?"), ("Grant leave", "Accorder un congé"), ("Change badge", "Changer de badge")),
    actions=(("Hire", "Embaucher"), ("Pay slip", "Bulletin de paie"), ("Evaluate", "Évaluer"), ("Archive", "Archiver")),
)  # fmt: skip
SHIFT = Kind(
    one=("Shift", "Garde"), many=("Shifts", "Gardes"), icon="calendar-week",
    fields=((("Day", "Jour"), "date"), (("From", "De"), "time"), (("To", "À"), "time"), (("Holder", "Titulaire"), "person"),
            (("Stand-in", "Remplaçant"), "person"), (("Site", "Site"), "place")),
    tabs=(("Week", "Semaine"), ("Team", "Équipe"), ("Hours", "Heures"), ("Rules", "Règles")),
    forms=(("Swap shift", "Échanger une garde"), ("Plan week", "Planifier la semaine")),
    dialogs=(("Publish the plan?", "Publier le planning ?"), ("Find a stand-in", "Trouver un remplaçant"), ("Copy the week", "Copier la semaine")),
    actions=(("Publish", "Publier"), ("Swap", "Échanger"), ("Copy", "Copier"), ("Balance", "Équilibrer")),
)  # fmt: skip
DOMAINS = {
    "hospital": (PATIENT, EXAM), "accounts": (INVOICE, ACCOUNT), "desk": (TICKET, DEVICE), "stock": (ARTICLE, DELIVERY),
    "staff": (EMPLOYEE, SHIFT),
}  # fmt: skip
SECTIONS: tuple[tuple[Pair, tuple[Pair, ...]], ...] = (
    (("Display", "Affichage"), (("Dark appearance", "Apparence sombre"), ("Large buttons", "Grands boutons"), ("24-hour clock", "Heure sur 24 h"), ("Show pictures", "Afficher les images"), ("Compact tables", "Tableaux compacts"))),
    (("Notifications", "Notifications"), (("Send e-mail", "Envoyer un courriel"), ("Play a sound", "Émettre un son"), ("Weekly report", "Rapport hebdomadaire"), ("Alarm on errors", "Alerte en cas d'erreur"), ("Silent at night", "Silence la nuit"))),
    (("Security", "Sécurité"), (("Lock after ten minutes", "Verrouiller après dix minutes"), ("Ask password again", "Redemander le mot de passe"), ("Two factors", "Double authentification"), ("Log all access", "Journaliser les accès"), ("Remote access", "Accès à distance"))),
    (("Backup", "Sauvegarde"), (("Every night", "Chaque nuit"), ("Keep ten copies", "Conserver dix copies"), ("Encrypt copies", "Chiffrer les copies"), ("Check after writing", "Vérifier après écriture"), ("Copy to server", "Copier sur le serveur"))),
)  # fmt: skip
STEPS: tuple[tuple[Pair, tuple[Pair, ...]], ...] = (
    (("Choose a file", "Choisir un fichier"), (("Folder", "Dossier"), ("File name", "Nom du fichier"), ("Encoding", "Encodage"))),
    (("Assign columns", "Associer les colonnes"), (("First column", "Première colonne"), ("Second column", "Deuxième colonne"), ("Third column", "Troisième colonne"))),
    (("Check and import", "Contrôler et importer"), (("Lines read", "Lignes lues"), ("Lines refused", "Lignes refusées"), ("Import as", "Importer en tant que"))),
)  # fmt: skip
