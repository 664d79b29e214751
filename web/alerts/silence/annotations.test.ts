import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Silence } from '../../../src/alerts/contract/wire.ts';
import {
  acknowledgementOf,
  endsWithAlerts,
  extended,
  formAnnotations,
  recreatedAnnotations,
  revived,
} from './annotations.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const MATCHERS = [{ name: 'a', value: 'b', isRegex: false, isEqual: true }];

const silence: Silence = {
  id: 'one',
  status: { state: 'active' },
  matchers: MATCHERS,
  startsAt: '2026-01-01T11:00:00.000Z',
  endsAt: '2026-01-01T13:00:00.000Z',
  updatedAt: '2026-01-01T11:00:00.000Z',
  createdBy: 'mira',
  comment: 'why',
  annotations: { ticket: 'OPS-1' },
};
const { status: _, updatedAt: __, ...content } = silence;

test('an acknowledgement is a short silence of exactly one alert, with a limit', () => {
  const acknowledgement = acknowledgementOf({ labels: { b: '2', alertname: 'A' } }, 'mira', 'Acknowledged', NOW);
  assert.deepEqual(acknowledgement, {
    matchers: [
      { name: 'alertname', value: 'A', isRegex: false, isEqual: true },
      { name: 'b', value: '2', isRegex: false, isEqual: true },
    ],
    startsAt: '2026-01-01T12:00:00.000Z',
    endsAt: '2026-01-01T12:15:00.000Z',
    createdBy: 'mira',
    comment: 'Acknowledged',
    annotations: { acknowledged_until: '2026-01-02T12:00:00.000Z' },
  });
  assert.equal(endsWithAlerts(acknowledgement as unknown as Silence), true);
  assert.equal(endsWithAlerts(silence), false);
});

test('a silence is extended from its end, an acknowledgement from its limit', () => {
  assert.deepEqual(extended(silence, 3_600_000, NOW), { ...content, endsAt: '2026-01-01T14:00:00.000Z' });
  const acknowledged = { ...silence, annotations: { acknowledged_until: '2026-01-01T20:00:00Z' } };
  assert.deepEqual(extended(acknowledged, 3_600_000, NOW), {
    ...content,
    annotations: { acknowledged_until: '2026-01-01T21:00:00.000Z' },
  });
  const stale = { ...acknowledged, endsAt: '2026-01-01T11:15:00.000Z' };
  assert.equal(extended(stale, 3_600_000, NOW).endsAt, '2026-01-01T12:15:00.000Z');
});

test('an expired silence comes back as a new one for the rest of its time', () => {
  const { id: _, ...withoutId } = content;
  assert.deepEqual(revived(silence, NOW), { ...withoutId, startsAt: '2026-01-01T12:00:00.000Z' });
  const pending = { ...silence, startsAt: '2026-01-01T12:30:00.000Z' };
  assert.equal(revived(pending, NOW).startsAt, pending.startsAt);
});

test('a form changes ticket and ending, and keeps other annotations and the limit of an acknowledgement', () => {
  const limit = { acknowledged_until: '2026-01-01T20:00:00Z' };
  const expires = { expire_when_resolved: 'true' };
  assert.equal(formAnnotations(undefined, false, ''), undefined);
  assert.deepEqual(formAnnotations({ runbook: 'x', ticket: '1' }, true, '2'), {
    runbook: 'x',
    ...expires,
    ticket: '2',
  });
  assert.equal(formAnnotations({ ...expires, ticket: '1' }, false, ''), undefined);
  assert.deepEqual(formAnnotations(limit, true, ''), limit);
  assert.equal(formAnnotations(limit, false, ''), undefined);
  assert.deepEqual(recreatedAnnotations({ annotations: { ...limit, ticket: '1' } }), { ...expires, ticket: '1' });
});
