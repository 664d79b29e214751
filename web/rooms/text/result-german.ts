import { createTranslate } from '../../shared/translate.ts';

type Line = readonly [english: RegExp, german: string];

const AT = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC`;
const line = (pattern: string): RegExp => new RegExp(`^${pattern}$`);

const ON_CALL: readonly Line[] = [
  [line(`(?<who>@\\S+) is on call`), '{who} hat Rufbereitschaft'],
  [line(`(?<who>@\\S+) is on call until (?<end>${AT})`), '{who} hat bis {end} Rufbereitschaft'],
];

/**
 * The German of what commands answer, by the title of the card, or else by the command. Whole lines are matched; their groups are
 * what users, alerts and other servers have written, and stay.
 */
const RESULTS: Readonly<Record<string, readonly Line[]>> = {
  ack: [
    [/^has it$/, 'hat den Alarm übernommen'],
    [/^has it: (?<note>.*)$/, 'hat den Alarm übernommen: {note}'],
  ],
  unack: [[/^does not have it any more$/, 'hat den Alarm abgegeben']],
  extend: [
    [
      line(`extended the silence of (?<what>.+) until (?<end>${AT})`),
      'hat die Stummschaltung von {what} bis {end} verlängert',
    ],
  ],
  unsilence: [
    [/^ended the silence of (?<what>.+)$/, 'hat die Stummschaltung von {what} beendet'],
    [/^ended the silence (?<id>\S+)$/, 'hat die Stummschaltung {id} beendet'],
  ],
  'On call': [...ON_CALL, [/^nobody is on call any more$/, 'Niemand hat mehr Rufbereitschaft']],
  Handover: [
    [/^\*\*On call\*\*: nobody$/, '**Rufbereitschaft**: niemand'],
    [/^\*\*On call\*\*: (?<who>.+)$/, '**Rufbereitschaft**: {who}'],
    [
      /^\*\*Alerts\*\*: not shown: this server knows no alert server; .*$/,
      '**Alarme**: nicht angezeigt: Dieser Server wurde ohne --alerts URL gestartet',
    ],
    [
      /^\*\*Alerts\*\*: not shown: the alert server (?:cannot be reached|did not answer within .*)$/,
      '**Alarme**: nicht angezeigt: Der Alarmserver antwortet nicht',
    ],
    [/^\*\*Alerts\*\*: not shown: (?<reason>.+)$/, '**Alarme**: nicht angezeigt: {reason}'],
    [/^\*\*Alerts\*\*: (?<n>\d+) active alerts?$/, '**Alarme**: {n} aktiver || **Alarme**: {n} aktive'],
    [
      /^\*\*Silences\*\*: not shown: this server knows no alert server; .*$/,
      '**Stummschaltungen**: nicht angezeigt: Dieser Server wurde ohne --alerts URL gestartet',
    ],
    [
      /^\*\*Silences\*\*: not shown: the alert server (?:cannot be reached|did not answer within .*)$/,
      '**Stummschaltungen**: nicht angezeigt: Der Alarmserver antwortet nicht',
    ],
    [/^\*\*Silences\*\*: not shown: (?<reason>.+)$/, '**Stummschaltungen**: nicht angezeigt: {reason}'],
    [/^\*\*Silences\*\*: none$/, '**Stummschaltungen**: keine'],
    [/^\*\*Silences\*\*: (?<n>\d+)$/, '**Stummschaltungen**: {n}'],
    [/^\*\*Open threads\*\*: none$/, '**Offene Threads**: keine'],
    [/^\*\*Open threads\*\*: (?<n>\d+)$/, '**Offene Threads**: {n}'],
    [line(`- (?<what>\`[^\`]+\`) until (?<end>${AT}), by (?<who>\`[^\`]+\`)`), '- {what} bis {end}, von {who}'],
    [
      /^- (?<what>`[^`]+`): \[(?<n>\d+) repl(?:y|ies)\](?<link>\(\S+\))$/,
      '- {what}: [{n} Antwort]{link} || - {what}: [{n} Antworten]{link}',
    ],
    [/^- and (?<n>\d+) more$/, '- und {n} weitere'],
  ],
  Summary: [
    [
      /^asks the copilot for a summary of the last (?<time>[\d dhmin]+?)(?<reason>: .+)?$/,
      'bittet den Copiloten um eine Zusammenfassung der letzten {time}{reason}',
    ],
  ],
  Reminder: [
    [line(`reminder for (?<at>${AT}): (?<what>\`[^\`]+\`)`), 'Erinnerung für {at}: {what}'],
    [line(`cancelled (?<at>${AT})`), 'abgesagt {at}'],
  ],
  Incident: [
    [/^started the incident (?<link>\[.+\]\(\S+\))$/, 'hat den Vorfall {link} begonnen'],
    [/^ended the incident after (?<time>[\d dhmin]+)$/, 'hat den Vorfall nach {time} beendet'],
    [
      /^ended the incident (?<link>\[.+\]\(\S+\)) after (?<time>[\d dhmin]+)$/,
      'hat den Vorfall {link} nach {time} beendet',
    ],
    [line(`- (?<at>${AT}) started by (?<who>\\S+)`), '- {at} begonnen von {who}'],
    [line(`- (?<at>${AT}) ended after (?<time>[\\d dhmin]+)`), '- {at} beendet nach {time}'],
    [
      /^`\/incident note …` adds a line, `\/incident end` ends it$/,
      '`/incident note …` ergänzt eine Zeile, `/incident end` beendet den Vorfall',
    ],
  ],
  Flag: [
    [/^(?<key>`[^`]+`) is \*\*on\*\* \(version (?<version>\d+)\)$/, '{key} ist **an** (Version {version})'],
    [/^(?<key>`[^`]+`) is \*\*off\*\* \(version (?<version>\d+)\)$/, '{key} ist **aus** (Version {version})'],
    [/^- everyone gets nothing$/, '- alle bekommen nichts'],
    [/^- everyone gets (?<what>.+)$/, '- alle bekommen {what}'],
    [
      /^- after (?<n>\d+) targets?, everyone else gets (?<what>.+)$/,
      '- nach {n} Ziel bekommen alle anderen {what} || - nach {n} Zielen bekommen alle anderen {what}',
    ],
    [
      /^- after (?<n>\d+) rules?, everyone else gets (?<what>.+)$/,
      '- nach {n} Regel bekommen alle anderen {what} || - nach {n} Regeln bekommen alle anderen {what}',
    ],
    [
      /^- after (?<targets>\d+) targets? and (?<rules>\d+) rules?, everyone else gets (?<what>.+)$/,
      '- Ziele: {targets}, Regeln: {rules}; alle anderen bekommen {what}',
    ],
    [/^- when off: nothing$/, '- ausgeschaltet: nichts'],
    [/^- when off: (?<what>.+)$/, '- ausgeschaltet: {what}'],
  ],
  Status: [
    [
      /^(?<n>\d+) active alerts?(?<known>: .+)?(?<mark>[:,]) (?<others>\d+) other; (?<muted>\d+) silenced or inhibited$/,
      '{n} aktiver Alarm{known}{mark} {others} mit anderer Schwere; {muted} stummgeschaltet oder unterdrückt || {n} aktive Alarme{known}{mark} {others} mit anderer Schwere; {muted} stummgeschaltet oder unterdrückt',
    ],
    [
      /^(?<n>\d+) active alerts?(?<known>: .+)?; (?<muted>\d+) silenced or inhibited$/,
      '{n} aktiver Alarm{known}; {muted} stummgeschaltet oder unterdrückt || {n} aktive Alarme{known}; {muted} stummgeschaltet oder unterdrückt',
    ],
    [/^- silences: (?<n>\d+)$/, '- Stummschaltungen: {n}'],
    [
      line(`- silences: (?<n>\\d+), the next one ends (?<end>${AT})`),
      '- Stummschaltungen: {n}, die nächste endet {end}',
    ],
    [/^- on call: nobody$/, '- Rufbereitschaft: niemand'],
    [/^- on call: (?<who>.+)$/, '- Rufbereitschaft: {who}'],
  ],
  Usage: [
    [/^usage today(?<total>: \*\*\S+\*\*)?$/, 'Nutzung heute{total}'],
    [/^usage yesterday(?<total>: \*\*\S+\*\*)?$/, 'Nutzung gestern{total}'],
    [/^usage (?<time>\d\S*?)(?<total>: \*\*\S+\*\*)?$/, 'Nutzung der letzten {time}{total}'],
    [
      /^(?<sum>- \*\*.+\*\*: \$[\d.]+), (?<n>\d+) calls?, (?<rest>[\d.]+(?: M)?) tokens(?<models>;.+)?$/,
      '{sum}, {n} Anfrage, {rest} Tokens{models} || {sum}, {n} Anfragen, {rest} Tokens{models}',
    ],
    [
      /^(?<user>- \*\*.+\*\*): the dashboard holds no session token$/,
      '{user}: die Nutzungsanalyse hat keinen Sitzungstoken',
    ],
  ],
  /** What only the user of a command sees. */
  notice: [
    ...ON_CALL,
    [/^nobody is on call here; \/oncall @ana$/, 'Niemand hat hier Rufbereitschaft; /oncall @ana'],
    [
      /^you have read everything here; \/catchup 2h sums up the last two hours$/,
      'Hier ist alles gelesen; /catchup 2h fasst die letzten zwei Stunden zusammen',
    ],
    [/^nothing was said in that time$/, 'In dieser Zeit wurde nichts geschrieben'],
    [/^it is being summed up; only you will see it$/, 'Die Zusammenfassung entsteht; nur du siehst sie'],
    [/^the reminder is cancelled$/, 'Die Erinnerung ist abgesagt'],
    [/^you have no reminders here\. \/remind .+$/, 'Hier gibt es keine eigenen Erinnerungen; /remind 30m Text'],
    [
      line(
        `would silence (?<what>.+) until (?<end>${AT}); matches (?<n>\\d+) active alerts?; newly silences (?<newly>\\d+)`,
      ),
      'würde {what} bis {end} stummschalten; trifft {n} aktiven Alarm, davon neu: {newly} || würde {what} bis {end} stummschalten; trifft {n} aktive Alarme, davon neu: {newly}',
    ],
    [/^- and (?<n>\d+) more$/, '- und {n} weitere'],
  ],
};

const texts = Object.values(RESULTS).flatMap((lines) => lines.map(([, german]) => [german, german] as const));
const translate = createTranslate<string>(Object.fromEntries(texts), 'de');

/** A line of a result in German; undefined if it is unknown. `kind`: the title of its card, its command, or `notice`. */
export function germanResult(kind: string, text: string): string | undefined {
  if (!Object.hasOwn(RESULTS, kind)) return undefined;
  for (const [english, german] of RESULTS[kind] ?? []) {
    const values = english.exec(text)?.groups ?? (english.test(text) ? {} : undefined);
    if (values) return translate(german, values.n === undefined ? values : { ...values, n: Number(values.n) });
  }
  return undefined;
}
