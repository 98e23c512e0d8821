"""What is written on the pages: names, complaints, places and numbers of a hospital, an office and a ticket desk."""

from __future__ import annotations

import random
from dataclasses import dataclass

FAMILY = {
    "en": (
        "Ashworth", "Bennett", "Carmichael", "Delaney", "Eastwood", "Fitzgerald", "Goodwin", "Hargreaves", "Ingram",
        "Jefferson", "Kingsley", "Lockwood", "Macmillan", "Nightingale", "O'Connor", "Pemberton", "Quigley",
        "Rutherford",        "Sinclair", "Thackeray", "Underhill", "Vaughan", "Whitaker", "Yardley", "Zimmerman",
    ),
    "fr": (
        "Aubré", "Bélanger", "Chevallier", "Desprès", "Étienne", "Fèvre", "Gauthier", "Hébrard", "Isnard", "Joly",
        "Lefèvre", "Lemaître", "Mérieux", "Noël", "Özdemir", "Pâris", "Quéré", "Rémond", "Sœurette", "Tréguier",
        "Vasseur", "Wœhrlé", "Yvré", "Zoé-Maçon", "Gonçalves",
    ),
}  # fmt: skip
GIVEN = {
    "en": (
        "Alice", "Benjamin", "Charlotte", "Daniel", "Eleanor", "Frederick", "Grace", "Henry", "Isabel", "James",
        "Katherine",        "Leonard", "Margaret", "Nathaniel", "Olivia", "Patrick", "Rosalind", "Samuel",
        "Theresa", "Victor", "Winifred",
    ),
    "fr": (
        "Adèle", "Benoît", "Chloé", "Désiré", "Élodie", "François", "Geneviève", "Hélène", "Inès", "Jérôme", "Léa",
        "Maëlle", "Noémie", "Océane", "Pénélope", "Rémi", "Stéphane", "Thérèse", "Valérie", "Yaël", "Zoé", "Gaëtan",
    ),
}  # fmt: skip
PLACES = {
    "en": ("Exeter", "Leicester", "Gloucester", "Norwich", "Aberdeen", "Swansea", "Bristol", "Newcastle", "Ipswich"),
    "fr": ("Besançon", "Orléans", "Nîmes", "Saint-Étienne", "Béziers", "Évreux", "Alençon", "Mâcon", "Châlons", "Sète"),
}
COMPLAINTS = {
    "en": (
        "Chest pain", "Shortness of breath", "Ankle sprain", "Fever and cough", "Abdominal pain", "Head injury",
        "Migraine",        "Allergic reaction", "Back pain", "Wrist fracture", "Dizziness",
        "Burn, left hand", "Laceration",
        "Palpitations",
    ),
    "fr": (
        "Douleur thoracique", "Dyspnée aiguë", "Entorse de la cheville", "Fièvre et toux", "Douleur abdominale",
        "Traumatisme crânien", "Céphalée", "Réaction allergique", "Lombalgie", "Fracture du poignet", "Vertiges",
        "Brûlure, main gauche", "Plaie à suturer", "Malaise à l'effort", "Œdème du pied",
    ),
}  # fmt: skip
ITEMS = {
    "en": (
        "Office chairs", "Printer toner", "Annual audit", "Cleaning services", "Laptop stands", "Travel, Manchester",
        "Software licences", "Water cooler", "Train tickets", "Insurance premium", "Legal advice", "Catering",
    ),
    "fr": (
        "Chaises de bureau", "Encre d'imprimante", "Audit annuel", "Nettoyage des locaux", "Frais de réception",
        "Déplacement à Nîmes", "Licences logicielles", "Fontaine à eau", "Billets de train", "Prime d'assurance",
        "Main-d'œuvre", "Conseil juridique", "Abonnement téléphonique",
    ),
}  # fmt: skip
TICKETS = {
    "en": (
        "Cannot log in after update", "Printer on 3rd floor offline", "Shared drive is full", "New account for trainee",
        "Phone has no dial tone", "Screen flickers at startup", "Password reset requested", "E-mail bounces back",
        "Badge reader does not respond", "Slow network in room 214", "Missing fonts in report", "VPN drops every hour",
    ),
    "fr": (
        "Connexion impossible après la mise à jour", "Imprimante du 3e étage hors ligne", "Disque partagé saturé",
        "Création d'un compte stagiaire", "Téléphone sans tonalité", "L'écran clignote au démarrage",
        "Mot de passe à réinitialiser", "Courriel renvoyé à l'expéditeur", "Lecteur de badge défaillant",
        "Réseau très lent en salle 214", "Polices manquantes dans l'état", "Accès refusé à la boîte aux lettres",
    ),
}  # fmt: skip
SENTENCES = {
    "en": (
        "The patient was seen by the nurse on arrival and is waiting for the results of the blood test.",
        "Please check the address and the telephone number before you print the letter.",
        "No known allergies; current treatment includes aspirin 75 mg and atorvastatin 20 mg once a day.",
        "The invoice was sent twice and the second copy has been cancelled by the accounts department.",
        "All requests received after 16:30 are handled on the next working day.",
        "Keep the wound dry for 48 hours, then change the dressing every second day.",
        "The balance carried forward differs by 12.40 from the bank statement of last month.",
        "If the problem comes back, restart the workstation and note the exact time of the message.",
        "Relatives may stay in the waiting room until the end of the examination.",
        "A copy of this document is kept for ten years in the archive of the department.",
        "The device was replaced under warranty and returned to room 118 this morning.",
        "Blood pressure 128/76, pulse 84, temperature 37.9 °C, oxygen saturation 97 %.",
    ),
    "fr": (
        "Le patient a été vu par l'infirmière dès son arrivée et attend les résultats de la prise de sang.",
        "Vérifiez l'adresse et le numéro de téléphone avant d'imprimer le courrier.",
        "Pas d'allergie connue ; traitement en cours : aspirine 75 mg et atorvastatine 20 mg une fois par jour.",
        "La facture a été envoyée deux fois et le second exemplaire a été annulé par la comptabilité.",
        "Toute demande reçue après 16 h 30 est traitée le jour ouvré suivant.",
        "Gardez la plaie au sec pendant 48 heures, puis changez le pansement tous les deux jours.",
        "Le solde reporté diffère de 12,40 € du relevé bancaire du mois précédent.",
        "Si le problème réapparaît, redémarrez le poste et notez l'heure exacte du message.",
        "Les proches peuvent rester en salle d'attente jusqu'à la fin de l'examen.",
        "Une copie de ce document est conservée dix ans dans les archives du service.",
        "L'appareil a été remplacé sous garantie et rendu en salle 118 ce matin, sans main-d'œuvre à régler.",
        "Tension artérielle 128/76, pouls 84, température 37,9 °C, saturation en oxygène 97 %.",
        "Le cœur est régulier, sans souffle ; l'œdème de la cheville a nettement diminué.",
    ),
}  # fmt: skip
MONTHS = {
    "en": [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    "fr": [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
}
DAYS = {
    "en": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "fr": ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
}


@dataclass(frozen=True, slots=True)
class Words:
    """What a page says in one language; all that is invented comes from `rng`."""

    lang: str
    rng: random.Random

    def t(self, en: str, fr: str) -> str:
        return en if self.lang == "en" else fr

    def of(self, table: dict[str, tuple[str, ...]]) -> str:
        return self.rng.choice(table[self.lang])

    def some(self, table: dict[str, tuple[str, ...]], count: int) -> list[str]:
        """`count` different entries."""
        return self.rng.sample(table[self.lang], min(count, len(table[self.lang])))

    def person(self) -> str:
        """As lists have it: `BÉLANGER Chloé`, or `Bennett, Alice`."""
        family, given = self.of(FAMILY), self.of(GIVEN)
        return f"{family}, {given}" if self.lang == "en" else f"{family.upper()} {given}"

    def date(self, year: int | None = None) -> str:
        day, month = self.rng.randint(1, 28), self.rng.randint(1, 12)
        return f"{day:02}/{month:02}/{year or self.rng.randint(2023, 2026)}"

    def long_date(self) -> str:
        return f"{self.rng.randint(2, 28)} {self.rng.choice(MONTHS[self.lang])} {self.rng.randint(2023, 2026)}"

    def time(self) -> str:
        return f"{self.rng.randint(0, 23):02}:{self.rng.randint(0, 59):02}"

    def born(self) -> str:
        return self.date(self.rng.randint(1931, 2019))

    def amount(self) -> str:
        cents = self.rng.randint(800, 1_900_000)
        if self.lang == "en":
            return f"€{cents / 100:,.2f}"
        return f"{cents // 100:,}".replace(",", "\u00a0") + f",{cents % 100:02}\u00a0€"

    def ident(self, prefix: str = "") -> str:
        return f"{prefix}{self.rng.randint(100_000, 999_999)}"

    def phone(self) -> str:
        pairs = [f"{self.rng.randint(10, 99)}" for _ in range(4)]
        return "01 " + " ".join(pairs) if self.lang == "fr" else f"020 {pairs[0]}{pairs[1]} {pairs[2]}{pairs[3]}"

    def paragraph(self, sentences: int) -> str:
        return " ".join(self.some(SENTENCES, sentences))
