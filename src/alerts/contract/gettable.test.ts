import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTIVE, statusOf } from '../domain/alert-status.ts';
import { alertOf, matcherOf, START, silenceOf } from '../testing/parts.ts';
import { printAlert, printReceivers, printSilence } from './gettable.ts';
import type { Alert } from './wire.ts';

const ALERT = alertOf(
  { alertname: 'Disk"Full"', __proto__x: '😀' },
  { annotationsJson: '{"summary":"two\\nlines"}', generatorURL: 'http://p/?a="b"', endsAt: START + 1 },
);

test('an alert is written with its keys in the order that clients are used to', () => {
  assert.equal(
    printAlert(ALERT, printReceivers(['a', 'b"']), ACTIVE),
    `{"annotations":{"summary":"two\\nlines"},"endsAt":"2026-01-01T00:00:00.001Z","fingerprint":"${ALERT.fingerprint}",` +
      '"receivers":[{"name":"a"},{"name":"b\\""}],"startsAt":"2026-01-01T00:00:00.000Z",' +
      '"status":{"inhibitedBy":[],"mutedBy":[],"silencedBy":[],"state":"active"},' +
      '"updatedAt":"2026-01-01T00:00:00.000Z","generatorURL":"http://p/?a=\\"b\\"",' +
      '"labels":{"__proto__x":"😀","alertname":"Disk\\"Full\\""}}',
  );
});

test('an alert without a generator has no such key', () => {
  const read = JSON.parse(printAlert({ ...ALERT, generatorURL: '' }, '[]', ACTIVE)) as object;
  // Of each key the order is kept; an object of this type has them all.
  const keys: Record<Exclude<keyof Alert, 'generatorURL'>, true> = {
    annotations: true,
    endsAt: true,
    fingerprint: true,
    receivers: true,
    startsAt: true,
    status: true,
    updatedAt: true,
    labels: true,
  };
  assert.deepEqual(Object.keys(read), Object.keys(keys));
});

test('a suppressed alert has the ids of its silences and inhibiting alerts', () => {
  const read = JSON.parse(printAlert(ALERT, '[]', statusOf(['s1', 's2'], ['f'], ['m']))) as { status: unknown };
  assert.deepEqual(read.status, {
    inhibitedBy: ['f'],
    mutedBy: ['m'],
    silencedBy: ['s1', 's2'],
    state: 'suppressed',
  });
});

test('a silence is written with two flags for the operator of each matcher, and annotations only if it has any', () => {
  const silence = silenceOf({
    matchers: [
      matcherOf('d', '=', '1'),
      matcherOf('c', '!=', '2'),
      matcherOf('b', '=~', '3'),
      matcherOf('a', '!~', '4'),
    ],
    comment: 'été "😀"',
  });
  const text =
    '{"id":"11111111-1111-4111-8111-111111111111","status":{"state":"pending"},"updatedAt":"2026-01-01T00:00:00.000Z",' +
    '"comment":"été \\"😀\\"","createdBy":"ann","endsAt":"2026-01-01T01:00:00.000Z",' +
    '"matchers":[{"isEqual":true,"isRegex":false,"name":"d","value":"1"},{"isEqual":false,"isRegex":false,"name":"c","value":"2"},' +
    '{"isEqual":true,"isRegex":true,"name":"b","value":"3"},{"isEqual":false,"isRegex":true,"name":"a","value":"4"}],' +
    '"startsAt":"2026-01-01T00:00:00.000Z"}';
  assert.equal(printSilence(silence, 'pending'), text);
  const annotated = JSON.parse(printSilence({ ...silence, annotations: { ticket: '7' } }, 'active')) as object;
  assert.deepEqual(annotated, { ...JSON.parse(text), status: { state: 'active' }, annotations: { ticket: '7' } });
});
