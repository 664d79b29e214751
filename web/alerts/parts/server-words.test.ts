import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMatchers } from '../../../src/alerts/contract/query.ts';
import { createSilenceMatcher } from '../../../src/alerts/domain/matcher/matcher.ts';
import { describeAbort } from '../../../src/alerts/integrations/http/failure.ts';
import { CAUSES, describeFailure } from '../../../src/kernel/http-client/failure.ts';
import { germanOf } from './server-words.ts';

test('every failure of a connection has its German', () => {
  const texts = [
    ...Object.values(CAUSES),
    describeFailure(new Error('anything')),
    describeAbort(new DOMException('', 'TimeoutError')),
    describeAbort(new DOMException('', 'AbortError')),
  ];
  for (const text of texts) assert.notEqual(germanOf(text), text, text);
});

test('what varies stays in the German sentence', () => {
  const [regexp, matcher] = [
    createSilenceMatcher('a', '=~', '('),
    readMatchers(['nope'], { mode: 'classic', onWarning() {} }),
  ];
  assert.ok(!regexp.ok && !matcher.ok);
  assert.equal(germanOf(regexp.reason), 'Ungültiger regulärer Ausdruck: missing closing ): `(`');
  assert.equal(germanOf(matcher.reason), 'Kein gültiger Matcher: nope');
  assert.equal(germanOf('unexpected status code 404: no such hook'), 'unerwarteter Status 404: no such hook');
});

test("a receiver's own words stay", () => assert.equal(germanOf('channel_not_found'), 'channel_not_found'));
