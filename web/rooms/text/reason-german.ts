import { germanOf, type Sentences } from '../../shared/server-words.ts';
import { COMMAND_REASONS } from './command-reasons.ts';

/** The German of reasons that a reader of the page can meet; those that only other clients meet stay. */
export const REASONS: Sentences = [
  ...COMMAND_REASONS,
  // Messages.
  [/^body: is larger than (\d+) bytes; send it as a file$/, 'Der Text hat mehr als $1 Bytes: als Datei senden'],
  [/^body: a message without attachments needs a text$/, 'Eine Nachricht ohne Anhang braucht einen Text'],
  [/^attachments: at most (\d+) files$/, 'Höchstens $1 Dateien'],
  [/^the file is larger than (\d+) bytes$/, 'Die Datei hat mehr als $1 Bytes'],
  [/^the body is larger than (\d+) bytes$/, 'Das hat mehr als $1 Bytes'],
  [/^the upload broke off$/, 'Das Hochladen brach ab'],
  [
    /^slow mode: one message in (\d+) s; (\d+) s are left$/,
    'Hier ist alle $1 s eine Nachricht erlaubt; es fehlen noch $2 s',
  ],
  [/^@all may be called once a minute; (\d+) s are left$/, '@all ist einmal je Minute erlaubt; es fehlen noch $1 s'],
  [/^guests may read and react, not post$/, 'Gäste lesen und reagieren, schreiben aber nicht'],
  [/^a moderator has muted you in this room$/, 'In diesem Raum hat ein Moderator das Schreiben gesperrt'],
  [/^only its author may edit what a person wrote$/, 'Eine Nachricht bearbeitet nur, wer sie geschrieben hat'],
  [
    /^only admins and owners of the room may edit messages of bots, .*/,
    'Nachrichten von Bots, Brücken und Copiloten bearbeiten nur Admins und Inhaber des Raums',
  ],
  [
    /^only the server changes what a card of an alert or a command says; .*/,
    'Den Text einer Karte ändert nur der Server: im Thread dazu schreiben',
  ],
  [/^messages cannot be edited on this server$/, 'Auf diesem Server lassen sich Nachrichten nicht bearbeiten'],
  [
    /^messages can be edited for (\S+) minutes; that time is over$/,
    'Nachrichten lassen sich $1 Minuten lang bearbeiten; die sind vorbei',
  ],
  [
    /^only its author, and admins and owners of the room, may delete a message$/,
    'Eine Nachricht löschen nur, wer sie geschrieben hat, und Admins und Inhaber des Raums',
  ],
  [/^the message \S+ was (?:deleted|removed)(?:; take another id)?$/, 'Die Nachricht ist gelöscht'],
  [/^threadId: the message \S+ is a reply itself.*/, 'Die Nachricht ist selbst eine Antwort'],
  [/^\S+: there is no message \S+ in this room$/, 'Diese Nachricht gibt es in diesem Raum nicht'],
  [/^(\d+) messages are pinned already; unpin one$/, 'Schon $1 Nachrichten sind angeheftet: zuerst eine lösen'],
  [/^a message has at most (\d+) different reactions$/, 'Eine Nachricht hat höchstens $1 verschiedene Reaktionen'],
  [/^a reaction is one character .*/, 'Eine Reaktion ist ein Zeichen oder ein Name wie :shipit:'],
  // Rooms, members and invites.
  [
    /^there is a room (\S+) already(?:; )choose another slug$/,
    'Einen Raum $1 gibt es schon: einen anderen Kurznamen wählen',
  ],
  [/^the slug (\S+) is reserved(?:; )choose another slug$/, 'Der Kurzname $1 ist vergeben: einen anderen wählen'],
  [
    /^you have made (\d+) rooms: .*/,
    'Schon $1 Räume angelegt: einige löschen oder einen Admin des Servers um mehr bitten',
  ],
  [/^guests cannot create rooms; ask a member$/, 'Gäste legen keine Räume an: ein Mitglied fragen'],
  [
    /^this token is limited to certain rooms, and cannot create any$/,
    'Dieses Token gilt nur für bestimmte Räume und legt keine an',
  ],
  [/^only an owner of the room may delete it$/, 'Einen Raum löscht nur sein Inhaber'],
  [/^only admins and owners of the room may do this$/, 'Das dürfen nur Admins und Inhaber des Raums'],
  [/^only members of the room may do this; join it first$/, 'Das dürfen nur Mitglieder: zuerst beitreten'],
  [/^only admins of the server may do this$/, 'Das dürfen nur Admins des Servers'],
  [/^only an owner of the room may make an owner, .*/, 'Inhaber ernennt und ändert nur ein Inhaber des Raums'],
  [
    /^(\S+) is the last owner of the room; make another one first$/,
    '$1 ist der letzte Inhaber des Raums: zuerst jemand anderen dazu machen',
  ],
  [/^(\S+) is a member of the room already$/, '$1 ist schon Mitglied des Raums'],
  [/^there is no user (\S+)$/, 'Eine Person $1 gibt es nicht'],
  [/^you were banned from this room$/, 'Aus diesem Raum verbannt'],
  [/^you cannot ban yourself$/, 'Sich selbst kann man nicht verbannen'],
  [/^you are not a member of this room$/, 'Kein Mitglied dieses Raums'],
  [
    /^the people of a direct room are fixed; .*/,
    'Ein Gespräch nimmt niemanden auf: einen privaten Raum für mehr Personen anlegen',
  ],
  [/^nobody can be invited into a direct room$/, 'Zu einem Gespräch lässt sich niemand einladen'],
  [/^only an owner may invite admins$/, 'Admins lädt nur ein Inhaber ein'],
  [/^the room has (\d+) open invites: revoke some$/, 'Der Raum hat schon $1 offene Einladungen: einige widerrufen'],
  [/^expiresAt: must be within the next 30 days$/, 'Eine Einladung gilt höchstens 30 Tage'],
  // Sign-in.
  [/^this is not a whole token: .*/, 'Das ist kein ganzes Token: noch einmal kopieren'],
  [/^the token is not known here; .*/, 'Dieses Token gilt hier nicht; vielleicht wurde es widerrufen'],
  [/^the token has been revoked$/, 'Das Token wurde widerrufen'],
  [/^the user of this token is disabled$/, 'Die Person dieses Tokens ist gesperrt'],
  [/^the user (\S+) is disabled$/, '$1 ist gesperrt'],
  [/^too many failed sign-ins from this address$/, 'Zu viele falsche Anmeldungen von dieser Adresse'],
  [/^too many new people from this address; .*/, 'Zu viele neue Personen von dieser Adresse: später erneut versuchen'],
  [/^the token lacks the scope (\S+)$/, 'Dem Token fehlt der Umfang $1'],
  [/^a page of (\S+) may not do this: .*/, 'Eine Seite von $1 darf das nicht: --cors-origin lässt sie zu'],
  // Search.
  [/^q: say a word that the messages hold, .*/, 'Ein Wort aus den Nachrichten fehlt, oder ein Filter wie from:ana'],
  [/^q: (\w+): needs a value$/, 'Der Filter $1: braucht einen Wert'],
  [/^(?:q: )has: .*/, 'Der Filter has: kennt file und link'],
  [/^(?:q: )type: one of (.*)$/, 'Der Filter type: kennt $1'],
  [/^q: (\w+): a date such as .*/, 'Der Filter $1: braucht ein Datum wie 2026-01-31'],
  // The copilot.
  [/^the room (\S+) has no copilot; .*/, 'Dieser Raum hat keinen Copiloten'],
  [/^the copilot of the room \S+ is switched off$/, 'Der Copilot dieses Raums ist ausgeschaltet'],
  [/^the copilot of this room does not listen to your role$/, 'Der Copilot dieses Raums hört nicht auf diese Rolle'],
  [/^your private copilot is off in this room; .*/, 'Der private Copilot ist in diesem Raum ausgeschaltet'],
  [/^the copilot has answered that already$/, 'Der Copilot hat das schon beantwortet'],
  [/^the queue of the copilot is full; .*/, 'Die Warteschlange des Copiloten ist voll: gleich erneut versuchen'],
  [
    /^the provider of the copilot has failed too often; .*/,
    'Der Anbieter des Copiloten ist zu oft ausgefallen: gleich erneut versuchen',
  ],
  [/^prompt: say what to answer, .*/, 'Die Frage fehlt'],
  [
    /^only its asker, and admins and owners of the room, .*/,
    'Das dürfen nur, wer gefragt hat, und Admins und Inhaber des Raums',
  ],
  [
    /^copilot\.provider: there is no provider (.+); .*/,
    'Den Anbieter $1 gibt es nicht: einen des Servers nennen, oder openai, anthropic, echo',
  ],
  [/^only an admin of the server may set copilot\.(\w+)$/, 'copilot.$1 setzt nur ein Admin des Servers'],
  [
    /^copilot\.apiKey: the stored key belongs to another address than (\S+); .*/,
    'Der gespeicherte Schlüssel gehört zu einer anderen Adresse als $1: neu eingeben oder löschen',
  ],
  [
    /^the stored key belongs to another address than (\S+); enter it again$/,
    'Der gespeicherte Schlüssel gehört zu einer anderen Adresse als $1: neu eingeben',
  ],
  [
    /^the stored key cannot be decrypted; enter it again$/,
    'Der gespeicherte Schlüssel lässt sich nicht entschlüsseln: neu eingeben',
  ],
  [/^the room has a copilot already$/, 'Der Raum hat schon einen Copiloten'],
];

/** After the name of a field, as the page calls it. */
export const FAULTS: Sentences = [
  [/^must have (\d+) to (\d+) characters$/, '$1 bis $2 Zeichen'],
  [/^must have at most (\d+) characters$/, 'höchstens $1 Zeichen'],
  [/^must be a whole number from (\d+) to (\d+)$/, 'eine ganze Zahl von $1 bis $2'],
  [/^must not hold control characters$/, 'ohne Steuerzeichen'],
  [/^must be the id of a user: .*/, 'Kleinbuchstaben, Ziffern, „.“, „_“ und „-“'],
  [/^must be there$/, 'fehlt'],
  [/^(".*") is not a URL$/, '$1 ist keine Adresse'],
  [/^the URL must begin with https:\/\/ or http:\/\/, not (.*)$/, 'beginnt mit https:// oder http://, nicht mit $1'],
  [/^the URL must not hold a user name or password$/, 'ohne Benutzername und Passwort'],
  [/^(\S+) is an address that may not be reached$/, '$1 ist als Adresse gesperrt'],
  [
    /^(\S+) is an address of this machine or of a private network; .*/,
    '$1 gehört zu diesem Rechner oder zu einem privaten Netz; ein Admin kann das mit allowPrivate erlauben',
  ],
];

const FIELDS: Readonly<Record<string, string>> = {
  name: 'Name',
  topic: 'Thema',
  'copilot.name': 'Name',
  'copilot.baseUrl': 'Adresse',
  'copilot.model': 'Modell',
  'copilot.systemPrompt': 'Anweisung',
};

/** The German help of commands, by their name. */
export type Commands = Readonly<Record<string, readonly [help: string, hint: string]>>;

/** A reason in German; undefined for one that is not listed. */
export function germanReason(reason: string, commands: Commands = {}): string | undefined {
  const whole = germanOf(REASONS, reason);
  if (whole !== reason) return whole;
  // Refused arguments are followed by the help of their command.
  const [, cause, command = ''] = /^(.*?)\. \/(\w+)\b/s.exec(reason) ?? [];
  if (cause !== undefined && Object.hasOwn(commands, command)) {
    const german = germanReason(cause);
    return german && `${german}. ${commands[command]?.[0]}`;
  }
  const [, field = '', fault = ''] = /^([\w.]+): (.*)$/s.exec(reason) ?? [];
  const german = germanOf(FAULTS, fault);
  return german === fault ? undefined : `${Object.hasOwn(FIELDS, field) ? FIELDS[field] : field}: ${german}`;
}
