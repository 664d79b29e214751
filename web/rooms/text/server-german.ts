/** The German of each command: its line in `/help`, and its hint while it is typed. */
export const COMMANDS: Readonly<Record<string, readonly [help: string, hint: string]>> = {
  alerts: [
    '/alerts [Matcher …] — die aktiven Alarme (dies und Stummschaltungen: wo ein Admin es erlaubt)',
    'die aktiven Alarme; Matcher ergänzen',
  ],
  status: [
    '/status — Alarme nach Schwere, Stummschaltungen und Rufbereitschaft; fünf Minuten lang aktuell',
    'Alarme nach Schwere, Stummschaltungen, Rufbereitschaft',
  ],
  silence: [
    '/silence 2h alertname=DiskFull instance=~"web.*" -- Grund; mit ? zuerst die Treffer anzeigen',
    '2h alertname=DiskFull -- Grund; mit ? die Treffer anzeigen',
  ],
  extend: [
    '/extend 1h [ID], /extend until 18:00 [ID] — verlängert die Stummschaltung des Threads oder die mit dieser ID',
    '1h oder until 18:00: verlängert die Stummschaltung des Threads oder die mit dieser ID',
  ],
  unsilence: [
    '/unsilence [ID] — beendet die Stummschaltung des Threads oder die mit dieser ID',
    'beendet die Stummschaltung des Threads oder die mit dieser ID',
  ],
  ack: ['/ack [Notiz] — im Thread eines Alarms: ihn übernehmen', 'im Thread eines Alarms: ihn übernehmen'],
  unack: ['/unack — im Thread eines Alarms: ihn abgeben', 'im Thread eines Alarms: ihn abgeben'],
  oncall: [
    '/oncall @ana [until 18:00] — gibt ana die Rufbereitschaft, @oncall erwähnt sie dann; /oncall off; /oncall zeigt, wer sie hat',
    '@ana until 18:00: gibt ana die Rufbereitschaft, @oncall erwähnt sie dann',
  ],
  handover: [
    '/handover — offene Alarme, Stummschaltungen und offene Threads; ein ✅ an der ersten Nachricht schließt einen Thread',
    'offene Alarme, Stummschaltungen und offene Threads',
  ],
  incident: [
    '/incident start <Titel> — ein Raum dafür mit angeheftetem Verlauf; dort /incident note <Text> und /incident end',
    'start <Titel>: ein Raum dafür; note <Text>, end',
  ],
  ask: ['/ask <Frage> — fragt den Copiloten des Raums, für alle sichtbar', 'den Copiloten fragen, für alle sichtbar'],
  summary: [
    '/summary [2h] — der Copilot fasst die letzten zwei Stunden zusammen, für alle sichtbar',
    'der Copilot fasst die letzten zwei Stunden zusammen',
  ],
  catchup: [
    '/catchup [2h] — der private Copilot fasst Ungelesenes oder die letzten zwei Stunden zusammen',
    'der private Copilot fasst Neues zusammen; mit 2h die letzten zwei Stunden',
  ],
  poll: [
    '/poll "Frage" Pizza "Fisch und Pommes" — fragt alle; ohne Antworten yes und no; /poll end im Thread der Umfrage',
    '"Frage" Pizza "Fisch und Pommes": fragt alle',
  ],
  vote: [
    '/vote 1 — im Thread einer Umfrage: die eigene Stimme; eine andere Zahl verlegt sie, dieselbe nimmt sie zurück',
    'im Thread einer Umfrage: Nummer der Antwort',
  ],
  remind: [
    '/remind 30m Text, /remind at 18:00 Text, /remind tomorrow 8am Text — Erwähnung zu dieser Zeit; /remind zeigt die eigenen',
    '30m Text oder at 18:00 Text: Erwähnung zu dieser Zeit',
  ],
  flag: [
    '/flag <Schlüssel> — der Zustand eines Feature-Flags (dies und /usage: wo ein Admin es erlaubt)',
    'Schlüssel eines Feature-Flags: zeigt seinen Zustand',
  ],
  usage: [
    '/usage [today|yesterday|7d] [Person] — Kosten eines KI-Programmierassistenten, nach Tagen in UTC',
    'today, yesterday oder 7d: Kosten eines KI-Programmierassistenten',
  ],
  help: ['/help — diese Liste', 'alle Befehle'],
};

/** The German of titles, buttons and links of cards, by their English. */
export const CARD_WORDS: Readonly<Record<string, string>> = {
  Silence: 'Stummschaltung',
  Alerts: 'Alarme',
  Handover: 'Übergabe',
  'On call': 'Rufbereitschaft',
  Summary: 'Zusammenfassung',
  Reminder: 'Erinnerung',
  Poll: 'Umfrage',
  Flag: 'Flag',
  Status: 'Status',
  Usage: 'Nutzung',
  Incident: 'Vorfall',
  'Noted in the timeline': 'Im Verlauf notiert',
  End: 'Beenden',
  'Extend 1 h': '1 h verlängern',
  Close: 'Schließen',
  Cancel: 'Abbrechen',
  'Again in 10 min': 'Erneut in 10 min',
  'End the incident': 'Vorfall beenden',
  Source: 'Quelle',
};
