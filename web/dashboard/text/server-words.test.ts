import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyAnswer, TIMEOUT, UNREACHABLE } from '../../../src/dashboard/upstream/answer.ts';
import { unsaidPatterns } from '../../../src/testing/sentences.ts';
import { SERVER, serverWords } from './server-words.ts';

const german = (text: string) => serverWords(text, { language: 'de' });

test('every sentence with German is one of the dashboard', () =>
  assert.deepEqual(
    unsaidPatterns(
      SERVER.map(([english]) => english),
      'src/dashboard',
    ),
    [],
  ));

const PAGE = '<!DOCTYPE html><html></html>';
const ANSWERS: readonly (readonly [status: number, text?: string, headers?: Record<string, string>])[] = [
  [200, PAGE],
  [200, 'no JSON'],
  [302, '', { location: 'https://elsewhere.example/api' }],
  [302, '', { location: '/login' }],
  [400],
  [401],
  [403],
  [403, PAGE],
  [418],
  [429],
  [429, '', { 'retry-after': '90' }],
  [503],
];

test('every failure of upstream, and its remedy, have their German', () => {
  const failures = ANSWERS.map(([status, text = '', headers = {}]) => {
    const bytes = Buffer.from(text);
    const answer = { status, text, bytes, headers: new Headers(headers), isOk: status === 200, isWhole: true };
    const { failure } = classifyAnswer(answer, new URL('https://usage.example/api'), 'TOKEN') as {
      readonly failure: typeof TIMEOUT;
    };
    return failure;
  });
  for (const { error, hint = '' } of [...failures, TIMEOUT, UNREACHABLE]) {
    assert.notEqual(german(error), error);
    assert.notEqual(german(hint), hint);
  }
});

test('what varies stays, and so do unknown sentences', () => {
  assert.equal(german('upstream failed (503)'), 'Fehler der Gegenstelle (503)');
  assert.equal(german('There are: info, slope.'), 'Es gibt: info, slope.');
  assert.equal(german('Bad Gateway'), 'Bad Gateway');
  assert.equal(serverWords('upstream failed (503)', { language: 'en' }), 'upstream failed (503)');
});
