import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from './route.ts';
import { ALL_ALERTS, everyAlertHash, formatHash, newSilenceHash, parseHash } from './route.ts';

const newSilence = { page: 'new-silence', filter: '', comment: '', creator: '' } as const;

const links: readonly [hash: string, route: Route][] = [
  ['', ALL_ALERTS],
  ['#', ALL_ALERTS],
  ['#/', ALL_ALERTS],
  ['#/alerts', ALL_ALERTS],
  ['#/alerts/', ALL_ALERTS],
  ['#/alerts?receiver=team-db', { ...ALL_ALERTS, receiver: 'team-db' }],
  ['#/alerts?receiver=team+db', { ...ALL_ALERTS, receiver: 'team db' }],
  ['#/alerts?receiver=team%2Bdb', { ...ALL_ALERTS, receiver: 'team+db' }],
  ['#/alerts?silenced=true&inhibited=TRUE&muted=1', { ...ALL_ALERTS, silenced: true, inhibited: true, muted: true }],
  ['#/alerts?silenced=false&inhibited=false&active=true', ALL_ALERTS],
  ['#/alerts?active=false', { ...ALL_ALERTS, active: false }],
  [
    '#/alerts?filter=%7Balertname%3D%22X%22%2Cseverity%3D~%22a%7Cb%22%7D',
    { ...ALL_ALERTS, filter: '{alertname="X",severity=~"a|b"}' },
  ],
  ['#/alerts?filter={alertname="X",severity=~"a.+|b"}', { ...ALL_ALERTS, filter: '{alertname="X",severity=~"a.+|b"}' }],
  ['#/alerts?filter=%7Balertname%3D%22Disk+full%22%7D', { ...ALL_ALERTS, filter: '{alertname="Disk full"}' }],
  ['#/alerts?filter=%7Busage%3D%22100%%22%7D', { ...ALL_ALERTS, filter: '{usage="100%"}' }],
  ['#/alerts?filter=%7Bx%3D%22%E4%22%7D', { ...ALL_ALERTS, filter: '{x="\uFFFD"}' }],
  ['#/alerts?customGrouping=true&group=a', ALL_ALERTS],
  ['#/silences', { page: 'silences', tab: 'active', filter: '' }],
  ['#/silences?state=expired&filter=%7Ba%3D%22b%22%7D', { page: 'silences', tab: 'expired', filter: '{a="b"}' }],
  ['#/silences?state=odd', { page: 'silences', tab: 'active', filter: '' }],
  ['#/silences/new', newSilence],
  [
    '#/silences/new?filter=%7Ba%3D%22b%22%7D&comment=disk%20swap&creator=mira',
    { ...newSilence, filter: '{a="b"}', comment: 'disk swap', creator: 'mira' },
  ],
  ['#/silences/5979d657-0c53-4a0d-b806-b799b5900976', { page: 'silence', id: '5979d657-0c53-4a0d-b806-b799b5900976' }],
  ['#/silences/x/edit', { page: 'edit-silence', id: 'x' }],
  ['#/silences/x/recreate', { page: 'edit-silence', id: 'x' }],
  ['#/history', { page: 'history', filter: '', receiver: '', outcome: '', span: '' }],
  [
    '#/history?receiver=pager&outcome=failed&span=24h&filter=%7Ba%3D%22b%22%7D',
    { page: 'history', filter: '{a="b"}', receiver: 'pager', outcome: 'failed', span: '24h' },
  ],
  ['#/history?outcome=odd', { page: 'history', filter: '', receiver: '', outcome: '', span: '' }],
  ['#/routing?labels=a%3Db', { page: 'routing', labels: 'a=b' }],
  ['#/status', { page: 'status' }],
  ['#/settings', { page: 'settings' }],
  ['#/silences/x/delete', { page: 'unknown', hash: '#/silences/x/delete' }],
  ['#/silences/new/y', { page: 'unknown', hash: '#/silences/new/y' }],
  ['#/silences/x/edit/y', { page: 'unknown', hash: '#/silences/x/edit/y' }],
  ['#/status/x', { page: 'unknown', hash: '#/status/x' }],
  ['#/graph', { page: 'unknown', hash: '#/graph' }],
];

for (const [hash, route] of links) {
  test(`the link ${hash || 'without a hash'} leads to ${route.page}`, () => assert.deepEqual(parseHash(hash), route));
}

test('every route survives its link', () => {
  const filters = ['', '{a="b"}', '{a=~"x+ y|z%20&=#?/"}', '{"ü"="😀"}', '100%'];
  const routes: Route[] = filters.flatMap((filter): Route[] => [
    { ...ALL_ALERTS, filter, receiver: filter },
    { ...ALL_ALERTS, filter, active: false, silenced: true, inhibited: true, muted: true },
    { page: 'silences', tab: 'pending', filter },
    { page: 'history', filter, receiver: filter, outcome: 'sent', span: '7d' },
    { page: 'routing', labels: filter },
    { page: 'new-silence', filter, comment: filter, creator: 'a+b c' },
  ]);
  routes.push(
    { page: 'silence', id: 'a/b?c' },
    { page: 'edit-silence', id: 'x' },
    { page: 'status' },
    { page: 'settings' },
  );
  for (const route of routes) assert.deepEqual(parseHash(formatHash(route)), route);
});

test('half a surrogate pair in a label breaks no link', () => {
  assert.equal(newSilenceHash('\ud800x'), '#/silences/new?filter=%EF%BF%BDx');
});

test('a link omits defaults', () => {
  assert.equal(formatHash(ALL_ALERTS), '#/alerts');
  assert.equal(formatHash({ page: 'silences', tab: 'active', filter: '' }), '#/silences');
  assert.equal(newSilenceHash('{a="b"}'), '#/silences/new?filter=%7Ba%3D%22b%22%7D');
  assert.equal(everyAlertHash('{a="b"}'), '#/alerts?filter=%7Ba%3D%22b%22%7D&silenced=true&inhibited=true&muted=true');
});
