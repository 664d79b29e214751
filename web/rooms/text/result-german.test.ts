import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRooms } from '../../../src/rooms/testing/app.ts';
import { startFakeAlertmanager } from '../../../src/testing/fake/alertmanager.ts';
import { FakeClock } from '../../../src/testing/fake/clock.ts';
import { germanResult } from './result-german.ts';

const RESULTS: readonly (readonly [kind: string, english: string, german: string])[] = [
  ['ack', 'has it', 'hat den Alarm übernommen'],
  ['ack', 'has it: $& {n} disks', 'hat den Alarm übernommen: $& {n} disks'],
  ['unack', 'does not have it any more', 'hat den Alarm abgegeben'],
  ['Handover', '**Alerts**: 1 active alert', '**Alarme**: 1 aktiver'],
  ['Handover', '**Silences**: not shown: no', '**Stummschaltungen**: nicht angezeigt: no'],
  [
    'Handover',
    '**Alerts**: not shown: the alert server cannot be reached',
    '**Alarme**: nicht angezeigt: Der Alarmserver antwortet nicht',
  ],
  ['Handover', '- `a="b"` until 2030-01-02 09:00 UTC, by `ana`', '- `a="b"` bis 2030-01-02 09:00 UTC, von `ana`'],
  ['Handover', '- `hm`: [1 reply](http://a/m/1)', '- `hm`: [1 Antwort](http://a/m/1)'],
  ['Handover', '- and 12 more', '- und 12 weitere'],
  [
    'Summary',
    'asks the copilot for a summary of the last 1 h 20 min: away',
    'bittet den Copiloten um eine Zusammenfassung der letzten 1 h 20 min: away',
  ],
  [
    'Status',
    '5 active alerts: 1 critical, 2 other; 1 silenced or inhibited',
    '5 aktive Alarme: 1 critical, 2 mit anderer Schwere; 1 stummgeschaltet oder unterdrückt',
  ],
  [
    'Status',
    '2 active alerts: 2 other; 0 silenced or inhibited',
    '2 aktive Alarme: 2 mit anderer Schwere; 0 stummgeschaltet oder unterdrückt',
  ],
  ['Flag', '`a` is **on** (version 1234)', '`a` ist **an** (Version 1234)'],
  ['Flag', '- everyone gets nothing', '- alle bekommen nichts'],
  ['Flag', '- after 2 targets, everyone else gets `true`', '- nach 2 Zielen bekommen alle anderen `true`'],
  [
    'Flag',
    '- after 2 targets and 1 rule, everyone else gets 25 % `true`, 75 % `false`',
    '- Ziele: 2, Regeln: 1; alle anderen bekommen 25 % `true`, 75 % `false`',
  ],
  ['Flag', '- when off: `false`', '- ausgeschaltet: `false`'],
  ['Usage', 'usage today: **$3.10**', 'Nutzung heute: **$3.10**'],
  ['Usage', 'usage 7d', 'Nutzung der letzten 7d'],
  [
    'Usage',
    '- **info**: $1.50, 3 calls, 1.5 M tokens; `claude-5` $1.20',
    '- **info**: $1.50, 3 Anfragen, 1.5 M Tokens; `claude-5` $1.20',
  ],
  [
    'Incident',
    'ended the incident [Down](http://a/m/1) after 5 min',
    'hat den Vorfall [Down](http://a/m/1) nach 5 min beendet',
  ],
  ['Incident', '- 2030-01-02 09:20 UTC ended after 1 h', '- 2030-01-02 09:20 UTC beendet nach 1 h'],
  ['Reminder', 'cancelled 2030-01-02 09:20 UTC', 'abgesagt 2030-01-02 09:20 UTC'],
  ['notice', '@ana is on call', '@ana hat Rufbereitschaft'],
  ['notice', 'nothing was said in that time', 'In dieser Zeit wurde nichts geschrieben'],
];

test('results of commands have their German, in which the words of people and other servers stay', () => {
  for (const [kind, english, german] of RESULTS) assert.equal(germanResult(kind, english), german);
});

test('lines that people wrote stay', () => {
  const notes = ['- 2030-01-02 09:20 UTC ben: ended after 1 h', '**ended the incident after 1 h**'];
  for (const line of notes) assert.equal(germanResult('Incident', line), undefined);
  assert.equal(germanResult('Noted in the timeline', 'ended the incident after 1 h'), undefined);
  assert.equal(germanResult('constructor', 'has it'), undefined);
});

/** Commands, each with the lines of its result that have no words of the server. */
const SAID: readonly (readonly [line: string, others?: RegExp])[] = [
  ['/oncall'],
  ['/oncall @ana until 18:00'],
  ['/oncall'],
  ['/handover', /^(- \*\*DiskFull.*)?$/],
  ['/status'],
  ['/oncall off'],
  ['/remind'],
  ['/remind 30m disks'],
  ['/silence? 2h a=b', /^- \*\*DiskFull/],
  ['/extend 1h a-silence-1'],
  ['/unsilence a-silence-1'],
  ['/incident start Disks'],
];

const ALERT = {
  ...{ fingerprint: '0123456789abcdef', labels: { alertname: 'DiskFull', severity: 'high' }, annotations: {} },
  ...{ startsAt: '2030-01-02T07:00:00.000Z', status: { state: 'active', silencedBy: [], inhibitedBy: [] } },
};
const SILENCE = {
  ...{ id: 'a-silence-1', createdBy: 'ana', comment: 'disks', status: { state: 'active' } },
  ...{ startsAt: '2030-01-02T07:00:00.000Z', endsAt: '2030-01-02T09:00:00.000Z' },
  matchers: [{ name: 'alertname', value: 'DiskFull', isRegex: false, isEqual: true }],
};

test('every line that the server answers to a command is known', async (t) => {
  const alerts = await startFakeAlertmanager(t, ({ method, path }) => {
    if (path === '/api/v2/alerts') return { json: [ALERT] };
    if (path === '/api/v2/silences') return { json: method === 'POST' ? { silenceID: SILENCE.id } : [SILENCE] };
    return { json: SILENCE };
  });
  const clock = new FakeClock('2030-01-02T08:00:00Z');
  const { send } = await openTestRooms(t, { clock, options: { alertsUrl: alerts.url } });
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  for (const [line, others] of SAID) {
    const { status, text, json } = await send('POST', '/api/room/ops/message', { as: 'ana', body: { body: line } });
    assert.ok(status < 300, `${line}: ${text}`);
    const { notice, body, card } = json;
    const kind = notice === undefined ? (card.title ?? card.command) : 'notice';
    const english = ((notice ?? body) as string)
      .split('\n')
      .filter((part) => !others?.test(part) && germanResult(kind, part) === undefined);
    assert.deepEqual(english, [], line);
  }
});
