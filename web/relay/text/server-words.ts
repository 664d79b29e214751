import type { Language } from '../../shared/language.ts';
import { germanOf, type Sentences } from '../../shared/server-words.ts';

/** The beginning of a line about a file: its name and line. */
const PLACE = String.raw`((?:.+:\d+: )?)`;
const fault = (pattern: string): RegExp => new RegExp(`^${PLACE}${pattern}`);

export const GERMAN: Sentences = [
  [/^(.+), with (\S+)$/, '$1, mit $2'],
  // Why a flag is not switched.
  [
    /^flag (".*") has changed meanwhile; look at it and repeat the change$/,
    'Das Flag $1 wurde inzwischen geändert; ansehen und die Änderung wiederholen',
  ],
  [/^unknown flag (".*")$/, 'Das Flag $1 gibt es nicht'],
  [
    /^flag (".*") is not in a file of this relay: change it where it comes from$/,
    'Das Flag $1 steht in keiner Datei dieses Relays: dort ändern, wo es herkommt',
  ],
  [/^no file has the flag$/, 'Keine Datei enthält das Flag'],
  [/^cannot write (.+): (\S+)$/, '$1 lässt sich nicht schreiben: $2'],
  [
    /^another program changed (.+) meanwhile; look at the flag and repeat the change$/,
    'Ein anderes Programm hat inzwischen $1 geändert; das Flag ansehen und die Änderung wiederholen',
  ],
  [
    /^it is only a value \(flagValues\), without a switch; (`.+`) changes the value$/,
    'Es ist nur ein Wert (flagValues) ohne Schalter; $1 ändert den Wert',
  ],
  // What is wrong with the files of flags.
  [/^(.+)(?:: )no such file or folder$/, '$1: Datei oder Ordner fehlt'],
  [/^(.+)(?:: )permission denied$/, '$1: kein Zugriff'],
  [
    /^(.+): the folder has no \.json, \.yml or \.yaml file$/,
    '$1: Der Ordner enthält keine .json-, .yml- oder .yaml-Datei',
  ],
  [fault('the file is empty$'), '$1Die Datei ist leer'],
  [
    fault('expected an object with flags, flagValues or segments$'),
    '$1Ein Objekt mit flags, flagValues oder segments fehlt',
  ],
  [fault('(flags|flagValues|segments): expected an object$'), '$1$2: kein Objekt'],
  [fault('(?:a flag) has an empty key$'), '$1Ein Flag hat einen leeren Schlüssel'],
  [fault('(?:a segment) has an empty key$'), '$1Ein Segment hat einen leeren Schlüssel'],
  [fault('flag (".*"): its key is (".*")$'), '$1Flag $2: Sein Schlüssel ist $3'],
  [fault('segment (".*"): its key is (".*")$'), '$1Segment $2: Sein Schlüssel ist $3'],
  [fault('flag (".*") is also defined in (.+)$'), '$1Das Flag $2 steht auch in $3'],
  [fault('segment (".*") is also defined in (.+)$'), '$1Das Segment $2 steht auch in $3'],
  [fault('(".*") occurs twice in the same object$'), '$1$2 kommt in einem Objekt doppelt vor'],
  // What is wrong with a context.
  [
    /^(?:context: )"key" property not found in JSON context object(?:, such as )/,
    'Kontext: „key“ fehlt, richtig wäre etwa ',
  ],
  [
    /^(?:context: )context key must not be (?:null|empty)(?:, such as )/,
    'Kontext: Der Schlüssel ist leer, richtig wäre etwa ',
  ],
  [/^(?:context: )context kind cannot be empty(?:, such as )/, 'Kontext: Die Art ist leer, richtig wäre etwa '],
  [
    /^(?:context: )context kind contains disallowed characters(?:, such as )/,
    'Kontext: Die Art enthält unzulässige Zeichen, richtig wäre etwa ',
  ],
  [
    /^(?:context: )"kind" is not a valid context kind(?:, such as )/,
    'Kontext: „kind“ ist keine Art, richtig wäre etwa ',
  ],
  [
    /^(?:context: )single context cannot have the kind "multi"(?:, such as )/,
    'Kontext: Ein einzelner hat nicht die Art „multi“, richtig wäre etwa ',
  ],
  [
    /^(?:context: )multi-context must contain at least one kind(?:, such as )/,
    'Kontext: Ihm fehlen Arten, richtig wäre etwa ',
  ],
  [
    /^(?:context: )multi-context cannot have same kind more than once(?:, such as )/,
    'Kontext: Eine Art kommt doppelt vor, richtig wäre etwa ',
  ],
  [/^(?:context: )expected (\w+), got (\w+)(?:, such as )/, 'Kontext: $1 erwartet statt $2, richtig wäre etwa '],
  [
    /^(?:context: )expected (\w+)(?: or null), got (\w+)(?:, such as )/,
    'Kontext: $1 oder null erwartet statt $2, richtig wäre etwa ',
  ],
  // Why a request is refused.
  [/^unknown environment; .*/, 'Diese Umgebung gibt es nicht'],
  [/^unknown flag; .*/, 'Dieses Flag gibt es nicht'],
  [/^the body exceeds (\d+) bytes$/, 'Die Anfrage hat mehr als $1 Bytes'],
  [/^pages of (".*") may not change anything here$/, 'Seiten von $1 dürfen hier nichts ändern'],
  [
    /^the page of this relay is not open here, as .*/,
    'Die Seite dieses Relays ist hier nicht offen: auf seinem Rechner über localhost öffnen, oder das Relay mit --page-token (PAGE_TOKEN) starten',
  ],
  [/^internal error; see the log of the relay$/, 'Fehler des Relays; Näheres steht in seinem Log'],
  // Warnings and errors of the log, before their fields.
  [
    /^The flags cannot be read(?:, )the last valid ones stay in use\b/,
    'Die Flags lassen sich nicht lesen, die letzten gültigen bleiben in Gebrauch',
  ],
  [
    /^The flags cannot be read(?:, )there are no flags to serve\b/,
    'Die Flags lassen sich nicht lesen, es gibt keine zum Ausliefern',
  ],
  [/^upstream sent an unknown event\b/, 'LaunchDarkly hat ein unbekanntes Ereignis geschickt'],
  [/^big segments are not synchronised\b/, 'Große Segmente werden nicht abgeglichen'],
  [/^the store of big segments failed\b/, 'Der Speicher der großen Segmente ist gestört'],
  [/^the recorded data cannot be served\b/, 'Die aufgezeichneten Daten lassen sich nicht ausliefern'],
  [/^the data cannot be recorded\b/, 'Die Daten lassen sich nicht aufzeichnen'],
  [/^an item is too large for the persistent store\b/, 'Ein Eintrag ist zu groß für den dauerhaften Speicher'],
  [
    /^items of the persistent store cannot be decoded and are written again\b/,
    'Einträge des dauerhaften Speichers sind unlesbar und werden neu geschrieben',
  ],
  [
    /^a post of events was dropped: it is not a JSON array\b/,
    'Ereignisse wurden verworfen, da sie kein JSON-Array sind',
  ],
  [/^events could not be sent\b/, 'Ereignisse ließen sich nicht senden'],
  [/^events were not accepted\b/, 'Ereignisse wurden nicht angenommen'],
  [/^events are dropped: too many different tags\b/, 'Ereignisse werden verworfen: zu viele verschiedene Tags'],
  [/^an event could not be read\b/, 'Ein Ereignis ist unlesbar'],
  [
    /^events are dropped: the queue is full until the next flush\b/,
    'Ereignisse werden verworfen: Die Warteschlange ist bis zum nächsten Senden voll',
  ],
  [
    /^upstream refuses the events of this environment; they are dropped\b/,
    'LaunchDarkly lehnt die Ereignisse dieser Umgebung ab; sie werden verworfen',
  ],
];

/** A text of the relay in the page's language, line by line. */
export const serverWords = (text: string, language: Language): string =>
  language === 'de' ? text.split('\n').map(germanLine).join('\n') : text;

/** Of the fields of a line of the log, the reason is a sentence too. */
const germanLine = (line: string): string =>
  germanOf(GERMAN, line).replace(
    /(, reason: )(.*)(\))$/,
    (_, before: string, reason: string, end: string) => before + germanOf(GERMAN, reason) + end,
  );
