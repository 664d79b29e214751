import type { Sentences } from '../../shared/server-words.ts';

/** The German of reasons for which commands are refused. */
export const COMMAND_REASONS: Sentences = [
  [
    /^there is no command (\/\S+); (?:did you mean) (\/\S+)\? .*/,
    'Den Befehl $1 gibt es nicht. Ist $2 gemeint? Ein Text, der so beginnen soll, beginnt mit //',
  ],
  [
    /^there is no command (\/\S+); .*/,
    'Den Befehl $1 gibt es nicht. Alle zeigt /help; ein Text, der so beginnen soll, beginnt mit //',
  ],
  [
    /^this server knows no (alert server|relay|dashboard); start it with (\S+) URL$/,
    'Dieser Server wurde ohne $2 URL gestartet',
  ],
  [
    /^the end must lie (?:ahead, by )?at most a year(?: ahead)?$/,
    'Das Ende muss in der Zukunft liegen, höchstens ein Jahr voraus',
  ],
  [/^the time must lie ahead, by at most a year$/, 'Die Zeit muss in der Zukunft liegen, höchstens ein Jahr voraus'],
  [/^say for how long: .*/, 'Die Dauer fehlt: 30m, 1h oder until 18:00 (UTC)'],
  [/^say how long: .*/, 'Die Dauer fehlt: 30m, 2h, 1d oder until 09:00 (UTC)'],
  [/^say until when: .*/, 'Das Ende fehlt: 8h, until 18:00 (UTC) oder tomorrow 8am'],
  [/^say when: .*/, 'Die Zeit fehlt: 30m, at 18:00 (UTC) oder tomorrow 8am'],
  [/^say how far back: .*/, 'Der Zeitraum fehlt: 30m, 2h, 1d'],
  [/^say what of, in at most (\d+) characters$/, 'Der Text fehlt oder hat mehr als $1 Zeichen'],
  [/^say today, yesterday, or a time up to (\S+)$/, 'Der Zeitraum ist today, yesterday oder eine Dauer bis $1'],
  [/^this is not the id of a silence$/, 'Das ist keine ID einer Stummschaltung'],
  [/^the id of the silence is missing$/, 'Die ID der Stummschaltung fehlt'],
  [/^there is no silence (\S+)$/, 'Die Stummschaltung $1 gibt es nicht'],
  [/^the silence (\S+) has ended already(?:; make a new one)?$/, 'Die Stummschaltung $1 ist schon beendet'],
  [/^the silence (\S+) already lasts until (.+)$/, 'Die Stummschaltung $1 dauert schon bis $2'],
  [/^there are no matchers$/, 'Es fehlen Matcher'],
  [
    /^(".*") is no matcher; write .*/,
    '$1 ist kein Matcher; richtig wäre name=value, name!=value, name=~"regex" oder name!~"regex"',
  ],
  [
    /^these matchers would silence everything; .*/,
    'Diese Matcher würden alles stummschalten: ein Label nennen (Admins des Servers können --force ergänzen)',
  ],
  [/^write it in the thread of an alert$/, 'Der Befehl gehört in den Thread eines Alarms'],
  [/^name a member of the room, such as (@\S+)$/, 'Ein Mitglied des Raums fehlt, etwa $1'],
  [/^name one flag by its key$/, 'Der Schlüssel eines Flags fehlt'],
  [/^the relay knows no flag (\S+)$/, 'Das Relay kennt kein Flag $1'],
  [/^the dashboard knows no user (.*); there are (.*)$/, 'Die Nutzungsanalyse kennt $1 nicht; es gibt $2'],
  [/^the question is missing$/, 'Die Frage fehlt'],
  [
    /^give 2 to (\d+) different answers, .*/,
    'Es braucht 2 bis $1 verschiedene Antworten, mehrere Wörter in Anführungszeichen',
  ],
  [
    /^the question and each answer have at most (\d+) characters$/,
    'Die Frage und jede Antwort haben höchstens $1 Zeichen',
  ],
  [/^write \/poll end in the thread of a poll$/, '/poll end gehört in den Thread einer Umfrage'],
  [/^give the number of an answer$/, 'Die Nummer einer Antwort fehlt'],
  [/^there is no poll here$/, 'Hier ist keine Umfrage'],
  [/^the poll is closed$/, 'Die Umfrage ist beendet'],
  [/^the poll has (\d+) answers; take one of them$/, 'Die Umfrage hat $1 Antworten: eine davon wählen'],
  [
    /^only its author, and admins and owners of the room, may end a poll$/,
    'Eine Umfrage beenden nur, wer sie begann, und Admins und Inhaber des Raums',
  ],
  [/^a title has at most (\d+) characters, a note (\d+)$/, 'Ein Titel hat höchstens $1 Zeichen, eine Notiz $2'],
  [/^(?:the title) must have (?:1) to (\d+) characters$/, 'Der Titel hat 1 bis $1 Zeichen'],
  [
    /^no timeline of an incident is pinned in this room; .*/,
    'In diesem Raum ist kein Verlauf eines Vorfalls angeheftet; /incident start eröffnet einen Raum dafür',
  ],
  [/^the incident has ended already$/, 'Der Vorfall ist schon beendet'],
  [
    /^only the user who started an incident, .*/,
    'Einen Vorfall beenden nur, wer ihn begann, und Admins und Inhaber des Raums',
  ],
  [
    /^the timeline has (\d+) lines; .*/,
    'Der Verlauf hat schon $1 Zeilen; auch was hier geschrieben wird, kommt in den Export',
  ],
  [/^there is no reminder (\S+); .*/, 'Die Erinnerung $1 gibt es nicht mehr'],
  [
    /^you have (\d+) reminders already; .*/,
    'Es gibt schon $1 eigene Erinnerungen: /remind zeigt sie, /remind cancel sagt eine ab',
  ],
  [
    /^only admins and owners of the room, and the user on call, may say who is on call$/,
    'Die Rufbereitschaft vergeben nur Admins und Inhaber des Raums und wer sie hat',
  ],
  [
    /^(\S+) is no member of the room who may write; add them first$/,
    '$1 ist kein Mitglied, das hier schreiben darf: zuerst aufnehmen',
  ],
  [
    /^only admins of the server may use (?:the (?:alert server|relay|dashboard)) from this room; .*/,
    'Von diesem Raum aus dürfen das nur Admins des Servers; einer davon kann den Raum in --alerts-rooms nennen',
  ],
  [
    /^guests may not use (?:the (?:alert server|relay|dashboard)); .*/,
    'Gäste dürfen das nicht: einen Admin des Raums um die Mitgliedschaft bitten',
  ],
  [
    /^people who joined a public room by themselves may not use .*/,
    'Wer einem öffentlichen Raum selbst beigetreten ist, darf das nicht: einen Admin des Raums bitten, die Person zu entfernen und neu aufzunehmen',
  ],
  [/^--force is for admins of the server; name a label$/, '--force dürfen nur Admins des Servers: ein Label nennen'],
  // Other servers.
  [/^the alert server (?:cannot be reached|did not answer within .*)$/, 'Der Alarmserver antwortet nicht'],
  [/^the relay (?:cannot be reached|did not answer within .*)$/, 'Das Relay antwortet nicht'],
  [/^the dashboard (?:cannot be reached|did not answer within .*)$/, 'Die Nutzungsanalyse antwortet nicht'],
  [/^(?:the alert server) answered (\d+)\b/, 'Der Alarmserver antwortete mit $1'],
  [/^(?:the relay) answered (\d+)\b/, 'Das Relay antwortete mit $1'],
  [/^(?:the dashboard) answered (\d+)\b/, 'Die Nutzungsanalyse antwortete mit $1'],
  [
    /^the (?:alert server|relay|dashboard) refuses the credentials of this server$/,
    'Die Zugangsdaten dieses Servers gelten dort nicht',
  ],
];
