import { germanOf, type Sentences } from '../../shared/server-words.ts';
import type { Ui } from '../shell/ui.ts';

export const SERVER: Sentences = [
  // What is wrong with upstream, and what to do about it.
  [/^the upstream session has expired$/, 'die Sitzung ist abgelaufen'],
  [
    /^Sign in upstream, copy the fresh session cookie into (\S+) \(environment or \.env\), and restart\.$/,
    'Bei der Gegenstelle anmelden, das neue Sitzungs-Cookie in $1 eintragen (Umgebung oder .env) und den Server neu starten.',
  ],
  [/^upstream answered with a bot check instead of data$/, 'die Gegenstelle schickte eine Bot-Prüfung statt Daten'],
  [
    /^The token may be fine\. Try again later, or load a CSV export\.$/,
    'Das Token kann in Ordnung sein. Später erneut versuchen oder einen CSV-Export laden.',
  ],
  [/^upstream forbids this request$/, 'die Gegenstelle verbietet die Anfrage'],
  [
    /^Check that the upstream URL is the site where you sign in, and that the token belongs to the right team\.$/,
    'Prüfen, ob die Adresse der Gegenstelle die der Anmeldung ist und das Token zum richtigen Team gehört.',
  ],
  [/^upstream asks for fewer requests$/, 'die Gegenstelle bittet um weniger Anfragen'],
  [/^Try again (?:in a few minutes)\.$/, 'In einigen Minuten erneut versuchen.'],
  [/^Try again (?:in )(\S+)\.$/, 'In $1 erneut versuchen.'],
  [/^upstream failed \((\d+)\)$/, 'Fehler der Gegenstelle ($1)'],
  [
    /^The fault is upstream\. Try again later, or load a CSV export\.$/,
    'Der Fehler liegt bei der Gegenstelle. Später erneut versuchen oder einen CSV-Export laden.',
  ],
  [/^upstream refuses the request \((\d+)\)$/, 'die Gegenstelle lehnt die Anfrage ab ($1)'],
  [/^upstream answered (\d+)$/, 'die Gegenstelle antwortete mit $1'],
  [/^the upstream answer is not JSON$/, 'die Antwort der Gegenstelle ist kein JSON'],
  [/^the upstream answer is too large$/, 'die Antwort der Gegenstelle ist zu groß'],
  [/^upstream has moved$/, 'die Gegenstelle ist umgezogen'],
  [
    /^It points to (\S+): set USAGE_UPSTREAM_URL to that, if you trust it\.$/,
    'Sie verweist auf $1: das in USAGE_UPSTREAM_URL eintragen, falls es vertrauenswürdig ist.',
  ],
  [
    /^Check USAGE_UPSTREAM_URL\. If it is right, upstream may have changed its answers: load a CSV export\.$/,
    'USAGE_UPSTREAM_URL prüfen. Stimmt sie, hat die Gegenstelle vielleicht ihre Antworten geändert: einen CSV-Export laden.',
  ],
  [
    /^(?:upstream cannot be reached: )the connection was refused$/,
    'die Gegenstelle ist nicht erreichbar: Verbindung abgelehnt',
  ],
  [
    /^(?:upstream cannot be reached: )the connection was cut$/,
    'die Gegenstelle ist nicht erreichbar: Verbindung abgebrochen',
  ],
  [
    /^(?:upstream cannot be reached: )there is no such host$/,
    'die Gegenstelle ist nicht erreichbar: unbekannter Rechnername',
  ],
  [
    /^(?:upstream cannot be reached: )the name could not be resolved$/,
    'die Gegenstelle ist nicht erreichbar: Namensauflösung gestört',
  ],
  [
    /^(?:upstream cannot be reached: )no connection came about$/,
    'die Gegenstelle ist nicht erreichbar: keine Verbindung',
  ],
  [/^upstream cannot be reached\b/, 'die Gegenstelle ist nicht erreichbar'],
  [/^Check the network and USAGE_UPSTREAM_URL\.$/, 'Netz und USAGE_UPSTREAM_URL prüfen.'],
  [/^upstream gave no answer in time$/, 'die Gegenstelle antwortete nicht rechtzeitig'],
  [/^Try again, or ask for a shorter period\.$/, 'Erneut versuchen oder einen kürzeren Zeitraum wählen.'],
  [/^no session token is configured for (.+)$/, 'für $1 ist kein Sitzungs-Token eingetragen'],
  [
    /^Put a session cookie of the upstream site into (\S+) \(environment or \.env\), and restart\.$/,
    'Ein Sitzungs-Cookie der Gegenstelle in $1 eintragen (Umgebung oder .env) und den Server neu starten.',
  ],
  // Why the server refuses a request.
  [/^unknown user$/, 'unbekannter Nutzer'],
  [/^There are: (.*)\.$/, 'Es gibt: $1.'],
  [/^the budget could not be written$/, 'das Budget ließ sich nicht schreiben'],
  [
    /^the markers could not be written; the file is as it was before$/,
    'die Marker ließen sich nicht schreiben; die Datei ist, wie sie war',
  ],
  [/^monthlyUsd must be US dollars from 0 \(no budget\) to (\d+), .*$/, 'das Budget liegt zwischen 0 und $1 US-Dollar'],
  [/^markers\[(\d+)\]\.id is that of markers\[(\d+)\] too$/, 'markers[$1].id ist auch die von markers[$2]'],
  [/^the body is larger than (\d+) bytes$/, 'die Anfrage hat mehr als $1 Bytes'],
  [/^the request comes from a page of another site$/, 'die Anfrage kommt von der Seite einer anderen Adresse'],
  [/^internal error; see the log of the server$/, 'Fehler des Servers; Näheres steht in seinem Log'],
];

/** What the page itself or the browser finds. */
const PAGE: Sentences = [
  [/^(?:Failed to fetch|NetworkError when attempting to fetch resource\.|Load failed)$/, 'der Server antwortet nicht'],
  [/^The worker could not be loaded\.$/, 'Der Worker ließ sich nicht laden.'],
  [/^The answer of the server holds no markers\.$/, 'die Antwort des Servers enthält keine Marker'],
  [
    /^The markers keep being changed by others at the same time\.$/,
    'die Marker werden immer wieder gleichzeitig von anderen geändert',
  ],
];

/** A sentence of the server in the page's language. */
export const serverWords = (text: string, { language }: Pick<Ui, 'language'>): string =>
  language === 'de' ? germanOf([...SERVER, ...PAGE], text) : text;
