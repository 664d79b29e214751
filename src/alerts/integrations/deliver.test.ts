import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliver, failureOfAnswer, reasonOfStatus } from './deliver.ts';
import { OwnTimeout } from './http/timeout.ts';
import type { FailureReason, HttpAnswer, HttpClient } from './notifier.ts';

function answerOf(status: number, text = '', headers: Record<string, string> = {}): HttpAnswer {
  return { status, text, headers: new Headers(headers) };
}

const reasons: [status: number, reason: FailureReason, retry: boolean][] = [
  [199, 'other', false],
  [301, 'other', false],
  [400, 'clientError', false],
  [401, 'authError', false],
  [403, 'authError', false],
  [404, 'clientError', false],
  [429, 'rateLimited', false],
  [499, 'clientError', false],
  [500, 'serverError', true],
  [503, 'serverError', true],
  [599, 'serverError', true],
];
for (const [status, reason, retry] of reasons) {
  test(`a status of ${status} is ${reason} and ${retry ? 'is tried again' : 'final'}`, () => {
    const error = `unexpected status code ${status}: why`;
    assert.deepEqual(failureOfAnswer(answerOf(status, 'why')), {
      ok: false,
      retry,
      reason,
      error,
      retryAfterMs: undefined,
    });
    assert.equal(reasonOfStatus(status), reason);
  });
}

for (const status of [200, 201, 202, 204, 299]) {
  test(`a status of ${status} is a success`, () => assert.equal(failureOfAnswer(answerOf(status)), undefined));
}

test('a service may have more retryable statuses', () => {
  const failure = failureOfAnswer(answerOf(429), { retryStatuses: [429] });
  assert.deepEqual(failure, {
    ok: false,
    retry: true,
    reason: 'rateLimited',
    error: 'unexpected status code 429',
    retryAfterMs: undefined,
  });
});

test('an error has the text of the integration', () => {
  const failure = failureOfAnswer(answerOf(400, 'body'), {
    prefix: 'channel "x": ',
    describe: ({ text }) => `<${text}>`,
  });
  assert.deepEqual(failure && 'error' in failure && failure.error, 'channel "x": unexpected status code 400: <body>');
});

test('an error keeps no more than the beginning of a long body, and no secret', () => {
  const failure = failureOfAnswer(answerOf(400, `${'x'.repeat(5000)}`));
  assert.ok(failure && 'error' in failure && failure.error.length < 2100);
  const other = failureOfAnswer(answerOf(400, 'no key s3cret, s3cret!'), { secrets: ['', 's3cret'] });
  assert.equal(other && 'error' in other && other.error, 'unexpected status code 400: no key <redacted>, <redacted>!');
  const atTheEnd = failureOfAnswer(answerOf(400, `${'x'.repeat(2040)} s3cret-and-more`), {
    secrets: ['s3cret-and-more'],
  });
  assert.ok(atTheEnd && 'error' in atTheEnd && !atTheEnd.error.includes('s3'));
});

test('an error keeps nothing of a URL that is a secret, of which the service quotes the path', () => {
  const secrets = ['https://hooks.example/services/T1/B2?key=s3cret'];
  const failure = failureOfAnswer(answerOf(404, 'Cannot POST /services/T1/B2 (key s3cret)'), { secrets });
  assert.equal(
    failure && 'error' in failure && failure.error,
    'unexpected status code 404: Cannot POST <redacted> (key <redacted>)',
  );
});

test("a failure has the service's retry delay", () => {
  const headers = { 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' };
  const failure = failureOfAnswer(answerOf(503, '', headers));
  assert.equal(failure && 'retryAfterMs' in failure && failure.retryAfterMs, 90_000);
});

const aborts: [reason: unknown, FailureReason][] = [
  [new DOMException('late', 'TimeoutError'), 'contextDeadlineExceeded'],
  [new OwnTimeout('slack', 1000), 'other'],
  [new DOMException('stop', 'AbortError'), 'contextCanceled'],
  [undefined, 'contextCanceled'],
];
for (const [why, reason] of aborts) {
  test(`a request aborted with ${(why as Error | undefined)?.name} failed for ${reason}`, async () => {
    const controller = new AbortController();
    const client: HttpClient = {
      async send() {
        controller.abort(why);
        throw new Error('gone: s3cret');
      },
    };
    const request = { method: 'POST', url: 'http://x', signal: controller.signal } as const;
    const error = 'gone: <redacted>';
    assert.deepEqual(await deliver(client, request, { secrets: ['s3cret'] }), {
      ok: false,
      retry: true,
      reason,
      error,
    });
  });
}
