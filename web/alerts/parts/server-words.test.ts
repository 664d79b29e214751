import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMatchers } from '../../../src/alerts/contract/query.ts';
import { createSilenceMatcher } from '../../../src/alerts/domain/matcher/matcher.ts';
import { describeAbort } from '../../../src/alerts/integrations/http/failure.ts';
import { CAUSES, describeFailure } from '../../../src/kernel/http-client/failure.ts';
import { unsaidPatterns } from '../../../src/testing/sentences.ts';
import { germanOf } from '../../shared/server-words.ts';
import { GERMAN } from './server-words.ts';

test('every failure of a connection has its German', () => {
  const texts = [
    ...Object.values(CAUSES),
    describeFailure(new Error('anything')),
    describeAbort(new DOMException('', 'TimeoutError')),
    describeAbort(new DOMException('', 'AbortError')),
  ];
  for (const text of texts) assert.notEqual(germanOf(GERMAN, text), text, text);
});

test('what varies stays in the German sentence', () => {
  const [regexp, matcher] = [
    createSilenceMatcher('a', '=~', '('),
    readMatchers(['nope'], { mode: 'classic', onWarning() {} }),
  ];
  assert.ok(!regexp.ok && !matcher.ok);
  assert.equal(germanOf(GERMAN, regexp.reason), 'Ungültiger regulärer Ausdruck: missing closing ): `(`');
  assert.equal(germanOf(GERMAN, matcher.reason), 'Kein gültiger Matcher: nope');
  assert.equal(germanOf(GERMAN, 'unexpected status code 404: no such hook'), 'unerwarteter Status 404: no such hook');
});

test('every sentence with German is one of the server', () =>
  assert.deepEqual(
    unsaidPatterns(
      GERMAN.map(([english]) => english),
      'src/alerts',
      'src/kernel',
    ),
    [],
  ));

test("a receiver's own words stay", () => assert.equal(germanOf(GERMAN, 'channel_not_found'), 'channel_not_found'));
