import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertLinear } from '../../../testing/linear-time.ts';
import { loadTemplates } from '../../template/load-templates.ts';
import { notifyOnce } from '../../testing/integration.ts';
import { notificationOf, notifiedAlert } from '../../testing/notifier-parts.ts';
import { emailYaml, startSmtpSink } from '../../testing/smtp-sink.ts';
import { parseAddresses } from './addresses.ts';
import { emailIntegration } from './email.ts';

const OWNER = 'from: alerts@example.org, to: "{{ .CommonLabels.owner }}", require_tls: false';

/** The result of a mail to the recipient named by a label of the alert. */
async function sendToOwner(t: Parameters<typeof startSmtpSink>[0], owner: string, more = '', base = OWNER) {
  const sink = await startSmtpSink(t);
  const templates = await loadTemplates([]);
  assert.ok(templates.ok);
  const notification = notificationOf([notifiedAlert({ alertname: 'Down', owner })]);
  const yaml = emailYaml(sink.port, more, base);
  const delivery = await notifyOnce(emailIntegration, yaml, { notification, context: { templates: templates.value } });
  return { sink, delivery };
}

describe('a label that names the recipient of a mail', () => {
  const refused: readonly (readonly [owner: string, reason: string])[] = [
    ['team: a@example.org, b@example.org;', 'groups such as "team: a@example.org;" are not taken'],
    ['a@example.org; b@example.org', 'groups such as "team: a@example.org;" are not taken'],
    ['undisclosed-recipients:;', 'groups such as "team: a@example.org;" are not taken'],
    ['a@example.org\r\nBcc: b@example.org', 'a control character in "a@example.org\\r\\nBcc: b@example.org"'],
    ['a@example.org\nb@example.org', 'a control character in "a@example.org\\nb@example.org"'],
    ['a@example.org\0', 'a control character in "a@example.org\\x00"'],
    ['a\x1b[31m@example.org', 'a control character in "a\\x1b[31m@example.org"'],
    ['a@example.org\u0085b@example.org', 'a control character in "a@example.org\\u0085b@example.org"'],
    ['"a\r\nb"@example.org', 'a control character in "\\"a\\r\\nb\\"@example.org"'],
    ['mail a@example.org now', 'no address in "mail a@example.org now"'],
    ['a@example.org b@example.org', 'no address in "a@example.org b@example.org"'],
    ['a@example.org>,<b@example.org', 'no address in "a@example.org>"'],
    ['<a@example.org> <b@example.org>', 'no address in "<a@example.org> <b@example.org>"'],
    ['"a@example.org', 'no address in "\\"a@example.org"'],
    ['a@example.org (', 'no address in "a@example.org ("'],
    ['a@b@example.org', 'no address in "a@b@example.org"'],
  ];
  for (const [owner, reason] of refused) {
    test(`cannot be ${JSON.stringify(owner)}`, async (t) => {
      const { sink, delivery } = await sendToOwner(t, owner);
      const error = `parse 'to' addresses: ${reason}`;
      assert.deepEqual(delivery, { ok: false, retry: false, reason: 'other', error });
      assert.deepEqual(sink.commands, []);
    });
  }

  test('cannot be a control character or group as the sender either', async (t) => {
    const from = 'from: "{{ .CommonLabels.owner }}", to: ops@example.org, require_tls: false';
    const { sink, delivery } = await sendToOwner(t, 'team: a@example.org;', '', from);
    assert.ok(!delivery.ok && /parse 'from' addresses: groups/.test(delivery.error));
    assert.deepEqual(sink.commands, []);
  });

  test('may be a list of addresses, as with Alertmanager', async (t) => {
    const { sink } = await sendToOwner(t, 'a@example.org,, Dev <b@example.org>,');
    assert.deepEqual(sink.mails[0]?.to, ['a@example.org', 'b@example.org']);
  });

  test('adds no header and no recipient through a header', async (t) => {
    const headers = 'headers: {Subject: "{{ .CommonLabels.owner }}", X-Owner: "{{ .CommonLabels.owner }}"}';
    const base = 'from: alerts@example.org, to: ops@example.org, require_tls: false';
    const { sink } = await sendToOwner(t, 'x\r\nBcc: b@example.org\r\n\r\nbody\0\x1b[31m', headers, base);
    const [head = ''] = sink.mails[0]?.content.split('\r\n\r\n') ?? [];
    assert.deepEqual(sink.mails[0]?.to, ['ops@example.org']);
    assert.doesNotMatch(head, /^(bcc|body)/im);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the searched characters
    assert.doesNotMatch(head, /[\0\x1b]/);
  });
});

const LISTS: readonly (readonly [string, readonly string[]])[] = [
  ['a@example.org', ['a@example.org']],
  [' a@example.org ,\tb@example.org\n', ['a@example.org', 'b@example.org']],
  ['"Ops; team: 1, <x@y>" <a@example.org>', ['a@example.org']],
  ['"a\\"b" <a@example.org>', ['a@example.org']],
  ['a@example.org (on: call, b@example.org;)', ['a@example.org']],
  ['Größe <a@example.org>', ['a@example.org']],
  ['<a@example.org>', ['a@example.org']],
  ['"a b"@example.org', ['"a b"@example.org']],
  ['"b@example.org x"@example.com', ['"b@example.org x"@example.com']],
  ['a@[IPv6:2001:db8::1]', ['a@[IPv6:2001:db8::1]']],
];
for (const [list, expected] of LISTS) {
  test(`the addresses of ${JSON.stringify(list)}`, () =>
    assert.deepEqual(parseAddresses(list), { ok: true, value: expected }));
}

test('a long text is refused in a time that grows no faster than it', () => {
  for (const piece of [':', '"', '(', '<', 'a@b ', 'a@b:', '"\\', '[', ',', ' '])
    assertLinear(piece, (length) => piece.repeat(length / piece.length), parseAddresses);
});
