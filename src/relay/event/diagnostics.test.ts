import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { SdkKind } from '../credentials.ts';
import { createTestForwarder, eventPost, settled } from '../testing/test-forwarder.ts';

// JSON only because what arrives is read as such; its bytes are kept.
const DOCUMENT = '{"kind": "diagnostic-init", "n":1.0}';

const diagnostic = (body: Buffer | string, headers: Readonly<Record<string, string>> = {}, sdkKind?: SdkKind) =>
  eventPost(body, headers, sdkKind, 'diagnostic');

const PLACES: readonly [SdkKind, string, string | undefined][] = [
  ['server', 'https://events.example.com/diagnostic', 'sdk-key'],
  ['mobile', 'https://events.example.com/mobile/events/diagnostic', 'mob-key'],
  ['client', 'https://events.example.com/events/diagnostic/env-id', undefined],
];
for (const [sdkKind, url, authorization] of PLACES) {
  test(`diagnostics of ${sdkKind} SDKs are passed on at once, with the headers of the SDK`, async () => {
    const { forwarder, host } = createTestForwarder();
    const headers = {
      'user-agent': 'PHPClient/6',
      'x-launchdarkly-wrapper': 'w/1',
      'x-launchdarkly-tags': 't',
      authorization: 'api_key of another form',
      cookie: 'secret',
    };
    assert.equal(await forwarder.receive(diagnostic(DOCUMENT, headers, sdkKind)), 'accepted');
    await settled(() => forwarder.counts.diagnosticsSent === 1);
    const [sent] = host.posts;
    assert.equal(sent?.url, url);
    assert.equal(sent?.text, DOCUMENT);
    assert.deepEqual(sent?.headers, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'user-agent': 'PHPClient/6',
      'x-launchdarkly-event-schema': '4',
      'x-launchdarkly-wrapper': 'w/1',
      'x-launchdarkly-tags': 't',
      ...(authorization === undefined ? {} : { authorization }),
    });
  });
}

test('a gzip document is inflated, and sent compressed anew', async () => {
  const { forwarder, host } = createTestForwarder();
  await forwarder.receive(diagnostic(gzipSync(DOCUMENT), { 'content-encoding': 'gzip' }));
  await forwarder.flush();
  assert.equal(host.posts[0]?.text, DOCUMENT);
});

test('a document is sent a second time after a second, and then dropped', async () => {
  const { forwarder, host, clock } = createTestForwarder();
  host.answerNext(503, 503, 401);
  await forwarder.receive(diagnostic(DOCUMENT));
  await settled(() => {
    clock.advance(500);
    return forwarder.counts.diagnosticsFailed === 1;
  });
  const [first, second] = host.posts;
  assert.equal(host.posts.length, 2);
  assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 1000);
  // A refusal affects only that document.
  for (let count = 0; count < 2; count++) await forwarder.receive(diagnostic(DOCUMENT));
  await forwarder.flush();
  assert.equal(forwarder.counts.diagnosticsSent, 1);
  assert.equal(forwarder.counts.diagnosticsFailed, 2);
});

test('at most fifty diagnostics wait for a silent upstream', async () => {
  const { forwarder, host, clock } = createTestForwarder();
  host.answerNext(...Array.from({ length: 100 }, () => 'hang' as const));
  for (let count = 0; count < 60; count++) await forwarder.receive(diagnostic(DOCUMENT));
  assert.equal(forwarder.counts.diagnosticsDropped, 10);
  await settled(() => host.posts.length === 50);
  const closed = forwarder.close(1000);
  clock.advance(1000);
  await closed;
  assert.equal(forwarder.counts.diagnosticsFailed, 50);
  await forwarder.receive(diagnostic(DOCUMENT));
  assert.equal(forwarder.counts.diagnosticsDropped, 11);
});

test('at most 16 MB of diagnostics wait', async () => {
  const { forwarder } = createTestForwarder();
  const large = Buffer.from(JSON.stringify('x'.repeat(9 * 2 ** 20)));
  await forwarder.receive(diagnostic(large));
  await forwarder.receive(diagnostic(large));
  assert.equal(forwarder.counts.diagnosticsDropped, 1);
  await forwarder.flush();
  assert.equal(forwarder.counts.diagnosticsSent, 1);
});
