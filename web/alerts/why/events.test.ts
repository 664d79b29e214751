import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timeline } from '../../../src/alerts/contract/timeline.ts';
import type { SentNotification } from '../../../src/alerts/contract/wire.ts';
import { eventsOf, spansOf } from './events.ts';

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString();

const sent = (hour: number, result: SentNotification['result']) => ({ at: at(hour), result }) as SentNotification;

const DAY: Timeline = {
  ...{ fingerprint: 'f', labels: {}, from: at(0), to: at(24), isFlapping: false },
  firings: [{ startsAt: at(-2), endsAt: at(6) }, { startsAt: at(12) }],
  silences: [{ id: 's', startsAt: at(18), endsAt: at(30), createdBy: 'ann', comment: 'works' }],
  notifications: [sent(12, 'sent'), sent(13, 'failed')],
};

test('the events of a day, newest first, without those before and after it', () => {
  assert.deepEqual(
    eventsOf(DAY).map(({ at, kind }) => `${at.slice(11, 13)} ${kind}`),
    ['18 silenced', '13 failed', '12 fired', '12 notified', '06 resolved'],
  );
});

test('the marks of a day are cut at its ends; a firing alert reaches to now', () => {
  assert.deepEqual(
    spansOf(DAY).map(({ kind, from, to }) => [kind, from, to]),
    [
      ['fired', 0, 0.25],
      ['fired', 0.5, 1],
      ['silenced', 0.75, 1],
      ['notified', 0.5, 0.5],
      ['failed', 13 / 24, 13 / 24],
    ],
  );
});
