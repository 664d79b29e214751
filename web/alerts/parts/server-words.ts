import { germanOf, type Sentences } from '../../shared/server-words.ts';
import { language } from '../text.ts';

export const GERMAN: Sentences = [
  // Why a notification failed.
  [/^connection refused$/, 'Verbindung abgelehnt'],
  [/^connection reset by the other side$/, 'Verbindung von der Gegenseite zurückgesetzt'],
  [/^connection closed by the other side$/, 'Verbindung von der Gegenseite geschlossen'],
  [/^connection timed out$/, 'Zeitüberschreitung beim Verbinden'],
  [/^no such host$/, 'unbekannter Rechnername'],
  [/^name resolution failed for the moment$/, 'Namensauflösung derzeit gestört'],
  [/^host not reachable$/, 'Rechner nicht erreichbar'],
  [/^network not reachable$/, 'Netz nicht erreichbar'],
  [/^the server broke off the HTTP\/2 exchange$/, 'HTTP/2-Verbindung vom Server abgebrochen'],
  [/^the answer is not (HTTP(?:\/2)?)$/, 'Die Antwort ist kein $1'],
  [/^the answer is not as long as it says$/, 'Die Antwort ist kürzer oder länger als angegeben'],
  [/^the headers of the answer are too large$/, 'Die Kopfzeilen der Antwort sind zu groß'],
  [/^the proxy does not answer$/, 'Der Proxy antwortet nicht'],
  [/^the proxy closed the connection$/, 'Verbindung vom Proxy geschlossen'],
  [/^the proxy refused the connection with status (\d+)$/, 'Verbindung vom Proxy mit Status $1 abgelehnt'],
  [/^the request could not be sent\b/, 'Die Anfrage ließ sich nicht senden'],
  [/^the client is closed$/, 'Der Server wird gerade beendet'],
  [/^TLS: the certificate has expired$/, 'TLS: Das Zertifikat ist abgelaufen'],
  [/^TLS: the certificate is not yet valid$/, 'TLS: Das Zertifikat gilt noch nicht'],
  [
    /^TLS: the certificate signed itself and is not trusted$/,
    'TLS: Dem selbst ausgestellten Zertifikat wird nicht vertraut',
  ],
  [
    /^TLS: the certificate is signed by an authority that is not (?:trusted|known)$/,
    'TLS: Dem Aussteller des Zertifikats wird nicht vertraut',
  ],
  [/^TLS: the certificate is for another host$/, 'TLS: Das Zertifikat gilt für einen anderen Rechner'],
  [/^context deadline exceeded$/, 'keine Antwort innerhalb der Frist'],
  [/^context canceled$/, 'abgebrochen'],
  [/^unexpected status code (\d+)/, 'unerwarteter Status $1'],
  // Why a request is refused.
  [/^(?:.*: )?error parsing regexp: /, 'Ungültiger regulärer Ausdruck: '],
  [/^bad matcher format: /, 'Kein gültiger Matcher: '],
  [
    /^invalid silence: matcher set \d+: at least one matcher must not match the empty string$/,
    'Mindestens ein Matcher darf nicht auf den leeren Text passen',
  ],
  [/^Failed to create silence: start time must be before end time$/, 'Der Beginn muss vor dem Ende liegen'],
  [/^Failed to create silence: end time can't be in the past$/, 'Das Ende liegt in der Vergangenheit'],
  [
    /^exceeded maximum number of silences: (\d+) \(limit: (\d+)\)$/,
    'Es gibt schon $1 Stummschaltungen, und höchstens $2 sind erlaubt',
  ],
  [
    /^silence exceeded maximum size: (\d+) bytes \(limit: (\d+) bytes\)$/,
    'Die Stummschaltung hat $1 Bytes, und höchstens $2 sind erlaubt',
  ],
  [/^silence not found$/, 'Diese Stummschaltung gibt es nicht'],
  [
    /^the silence could not be written(?:: )PostgreSQL is away(?:: )(.*)(?:; )try again later$/,
    'Nicht gespeichert, da PostgreSQL nicht erreichbar ist: später erneut versuchen ($1)',
  ],
  [
    /^the silence could not be written(?:: )PostgreSQL is away(?:: )(.*)(?:; )it may be written: look before you try again$/,
    'PostgreSQL ist nicht erreichbar; vielleicht ist die Stummschaltung gespeichert: erst nachsehen ($1)',
  ],
  [
    /^the silence could not be written; see the log of the server$/,
    'Nicht gespeichert; Näheres steht im Log des Servers',
  ],
  [
    /^the history cannot be read: (.*); try again later$/,
    'Der Verlauf lässt sich nicht lesen: später erneut versuchen ($1)',
  ],
  [/^internal error; see the log of the server$/, 'Fehler des Servers; Näheres steht in seinem Log'],
];

/** The server's sentence in the page's language. */
export const serverWords = (text: string): string => (language === 'de' ? germanOf(GERMAN, text) : text);
