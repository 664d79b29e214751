import type { Condition } from '../../src/kernel/conditions.ts';
import type { Language } from './language.ts';
import { createTranslate } from './translate.ts';

const english = {
  postgresql_away:
    'PostgreSQL is away since {since}: alerts are accepted and notified by every node, silences cannot be changed',
  configuration_differs: 'The configuration differs from that of {nodes}',
  alerts_not_written: 'Alerts cannot be written to disk: {error}; they are kept in memory and notified',
  group_timers_not_written: 'Group timers cannot be written to disk: {error}; they are kept in memory',
  sent_notifications_not_written: 'Sent notifications cannot be written to disk: {error}; they are kept in memory',
  watchdog_missing:
    'The watchdog {watchdog} has not fired since {since}: its source, or the way from there, may be down',
} as const;
type Code = keyof typeof english;

const german = {
  postgresql_away:
    'PostgreSQL ist seit {since} nicht erreichbar: Jeder Knoten nimmt Alarme an und benachrichtigt, Stummschaltungen lassen sich nicht ändern',
  configuration_differs: 'Die Konfiguration weicht von der auf {nodes} ab',
  alerts_not_written:
    'Alarme lassen sich nicht auf die Festplatte schreiben: {error}; sie bleiben im Arbeitsspeicher und werden gemeldet',
  group_timers_not_written:
    'Gruppenzeiten lassen sich nicht auf die Festplatte schreiben: {error}; sie bleiben im Arbeitsspeicher',
  sent_notifications_not_written:
    'Gesendete Benachrichtigungen lassen sich nicht auf die Festplatte schreiben: {error}; sie bleiben im Arbeitsspeicher',
  watchdog_missing:
    'Der Watchdog {watchdog} meldet sich seit {since} nicht: Seine Quelle oder der Weg von dort ist vielleicht gestört',
} satisfies Record<Code, string>;

/** A condition of the alert server in words; in the server's for one that the pages do not know. `print` prints an instant. */
export function conditionWords(
  { code, text, values }: Condition,
  language: Language,
  print: (at: number) => string,
): string {
  if (!Object.hasOwn(english, code)) return text;
  const since = values.since === undefined ? '' : print(Date.parse(values.since));
  return createTranslate<Code>(language === 'de' ? german : english, language)(code as Code, { ...values, since });
}
