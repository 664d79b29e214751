import type { RefusalCode } from '../../../src/rooms/domain/refusal.ts';

/** The German of refusals, by their code. Where a code has several reasons, `{reason}` is the server's English. */
const REFUSALS = {
  unauthenticated: 'Nicht angemeldet: Token fehlt oder gilt nicht',
  token_expired: 'Der Token ist abgelaufen',
  read_only_room: 'In diesem Raum schreiben nur Admins',
  scope_missing: 'Der Token erlaubt das nicht',
  room_not_found: 'Diesen Raum gibt es nicht, oder er ist nicht freigegeben',
  message_not_found: 'Diese Nachricht gibt es nicht',
  member_not_found: 'Dieses Mitglied gibt es nicht',
  user_not_found: 'Diese Person gibt es nicht',
  run_not_found: 'Diese Antwort gibt es nicht mehr',
  file_not_found: 'Diese Datei gibt es nicht',
  invite_not_found: 'Diese Einladung gilt nicht mehr',
  too_large: 'Zu groß für diesen Server',
  unsupported_media_type: 'Diese Art von Datei nimmt der Server nicht an',
  name_taken: 'Dieser Name ist vergeben',
  archived: 'Dieser Raum ist archiviert',
  last_owner: 'Ein Raum braucht einen Inhaber: zuerst jemand anderen dazu machen',
  run_finished: 'Diese Antwort ist schon fertig',
  version_mismatch: 'Inzwischen von jemand anderem geändert: neu laden und wiederholen',
  rate_limited: 'Zu viele Anfragen: kurz warten',
  slow_mode: 'In diesem Raum ist zwischen zwei Nachrichten zu warten',
  copilot_quota: 'Das Kontingent des Copiloten ist aufgebraucht',
  storage_unavailable: 'Die Datenbank ist nicht erreichbar',
  storage_full: 'Der Speicher des Servers ist voll',
  shutting_down: 'Der Server wird gerade beendet',
  read_only: 'Der Server nimmt derzeit keine Änderungen an',
  forbidden: 'Das ist hier nicht erlaubt ({reason})',
  not_found: 'Nicht gefunden ({reason})',
  hook_not_found: 'Diesen Hook gibt es nicht',
  token_not_found: 'Diesen Token gibt es nicht',
  provider_not_found: 'Diesen Anbieter gibt es nicht',
  invalid_body: 'Diese Eingabe nimmt der Server nicht an ({reason})',
  invalid_query: 'Diese Anfrage nimmt der Server nicht an ({reason})',
  limit_reached: 'Die Höchstzahl ist erreicht ({reason})',
  id_conflict: 'Das gibt es schon ({reason})',
  deleted: 'Schon gelöscht ({reason})',
  request_in_progress: 'Diese Anfrage läuft schon',
  upstream_failed: 'Ein anderer Server hat nicht wie erwartet geantwortet ({reason})',
  not_supported: 'Das unterstützt dieser Server nicht ({reason})',
  origin_refused: 'Von dieser Adresse aus nicht erlaubt ({reason})',
  internal: 'Fehler des Servers; Näheres steht in seinem Log',
} as const satisfies Partial<Record<RefusalCode, string>>;

/** The German of a refusal; undefined for a code without. */
export function germanRefusal(code: string, reason: string): string | undefined {
  const german = Object.hasOwn(REFUSALS, code) ? REFUSALS[code as keyof typeof REFUSALS] : undefined;
  return german?.replace('{reason}', () => reason);
}

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
