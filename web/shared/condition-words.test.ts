import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionWords } from './condition-words.ts';

const values = { watchdog: 'Heartbeat', since: '2030-01-02T09:00:00.000Z' };
const print = (at: number) => new Date(at).toISOString().slice(0, 10);

test('a condition is shown in the language of the page', () => {
  const missing = { code: 'watchdog_missing', text: '', values };
  assert.match(conditionWords(missing, 'en', print), /^The watchdog Heartbeat has not fired since 2030-01-02:/);
  assert.match(conditionWords(missing, 'de', print), /^Der Watchdog Heartbeat meldet sich seit 2030-01-02 nicht:/);
});

test('a condition of an unknown kind is shown in the words of the server', () =>
  assert.equal(
    conditionWords({ code: 'new_kind', text: 'something is away', values }, 'de', print),
    'something is away',
  ));
