import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from '../../../src/alerts/contract/wire.ts';
import { badgeSvg } from './badge.ts';
import { NewCriticals } from './look.ts';

const alert = (fingerprint: string, severity = 'critical', state = 'active') =>
  ({ fingerprint, labels: { severity }, annotations: {}, status: { state } }) as unknown as Alert;

const watch = () => new NewCriticals();
const namesOf = (alerts: readonly Alert[]) => alerts.map(({ fingerprint }) => fingerprint);

test('what fires when the page opens is no news', () => assert.deepEqual(watch().look([alert('a')]), []));

test('a critical alert is news once, and again after it was gone', () => {
  const news = watch();
  news.look([]);
  assert.deepEqual(namesOf(news.look([alert('a')])), ['a']);
  assert.deepEqual(namesOf(news.look([alert('a'), alert('b')])), ['b']);
  assert.deepEqual(namesOf(news.look([alert('b')])), []);
  assert.deepEqual(namesOf(news.look([alert('a'), alert('b')])), ['a']);
});

test('an alert that is not critical or not active is no news, until it is', () => {
  const news = watch();
  news.look([]);
  assert.deepEqual(news.look([alert('a', 'warning'), alert('b', 'critical', 'suppressed')]), []);
  assert.deepEqual(namesOf(news.look([alert('a'), alert('b')])), ['a', 'b']);
});

test('the badge shows the count, at most two digits of it', () => {
  assert.match(badgeSvg(7, 'warning'), />7<\/text>/);
  assert.match(badgeSvg(100, 'critical'), />99\+<\/text>/);
});
