import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { configOf, printedOf, refusalOf } from '../../testing/integration.ts';
import { testIntegration } from '../../testing/integration-contract.ts';
import { GROUP_HASH } from '../../testing/notifier-parts.ts';
import { sendToSmtpSink } from '../../testing/smtp-sink.ts';
import { emailIntegration as email } from './email.ts';

testIntegration(email, {
  yaml: '{to: a@b, from: a@b, smarthost: "h:25", auth_password: s3cr3t}',
  documented: undefined,
});

describe('an e-mail configuration', () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['{from: a@b}', 'line 1: missing to address in email config'],
    ['{to: a@b, from: a@b}', 'no global SMTP smarthost set'],
    ['{to: a@b, smarthost: "h:25"}', 'no global SMTP from set'],
    ['{to: a@b, smarthost: h}', 'line 1: address h: missing port in address'],
    ['{to: a@b, smarthost: "h:"}', 'line 1: address "h:": port cannot be empty'],
    ['{to: a@b, smarthost: "::1:25"}', 'line 1: address ::1:25: too many colons in address'],
    ['{to: a@b, headers: {subject: a, Subject: b}}', 'line 1: duplicate header "Subject" in email config'],
    [
      '{to: a@b, headers: {references: x}, threading: {enabled: true, thread_by_date: none}}',
      'line 1: conflicting configuration: threading.enabled conflicts with custom References header',
    ],
    [
      '{to: a@b, headers: {in-reply-to: x}, threading: {enabled: true, thread_by_date: none}}',
      'line 1: conflicting configuration: threading.enabled conflicts with custom In-Reply-To header',
    ],
    ['{to: a@b, threading: {enabled: true}}', "line 1: threading.thread_by_date must be either 'none' or 'daily'"],
  ];
  for (const [yaml, reason] of refusals) {
    test(`${yaml} is refused`, () => assert.equal(refusalOf(email, yaml), reason));
  }

  test('a global address without a port is refused', () => {
    assert.equal(
      refusalOf(email, '{to: a@b, from: a@b}', { smtpSmarthost: 'h' }),
      'address h: missing port in address',
    );
  });

  test('takes missing fields from the global part', () => {
    const global = {
      smtpSmarthost: '[::1]:25',
      smtpFrom: 'alerts@example.org',
      smtpHello: 'here.example.org',
      smtpAuthUsername: 'ops',
      smtpAuthPasswordFile: '/password',
      smtpAuthSecret: 'hush',
      smtpAuthIdentity: 'team',
      smtpRequireTls: false,
      smtpForceImplicitTls: true,
    };
    const config = configOf(email, '{to: a@b}', global);
    assert.equal(config.smarthost, '[::1]:25');
    assert.equal(config.from, 'alerts@example.org');
    assert.equal(config.hello, 'here.example.org');
    assert.equal(config.authUsername, 'ops');
    assert.equal(config.authPasswordFile, '/password');
    assert.equal(config.authSecret, 'hush');
    assert.equal(config.authIdentity, 'team');
    assert.equal(config.requireTls, false);
    assert.equal(config.forceImplicitTls, true);
    assert.equal(config.sendResolved, false);
  });

  test('its own password and secret take precedence over the files of the global part', () => {
    const global = { smtpAuthPasswordFile: '/password', smtpAuthSecretFile: '/secret' };
    const config = configOf(email, '{to: a@b, from: a@b, smarthost: "h:25", auth_password: p, auth_secret: s}', global);
    assert.deepEqual(
      [config.authPassword, config.authPasswordFile, config.authSecret, config.authSecretFile],
      ['p', '', 's', ''],
    );
  });

  test('is shown without secrets, and its printed form loads again', () => {
    const yaml =
      '{to: a@b, from: a@b, smarthost: "h:25", auth_username: u, auth_password: hush, auth_secret: hush, ' +
      'headers: {x-team: a}, threading: {enabled: true, thread_by_date: daily}, require_tls: false}';
    const config = configOf(email, yaml);
    const { printed, again } = printedOf(email, config);
    assert.equal(JSON.stringify(printed).includes('hush'), false);
    assert.deepEqual(again, { ...config, authPassword: '<secret>', authSecret: '<secret>' });
    assert.deepEqual(again.headers, { 'X-Team': 'a' });
  });
});

describe('a mail', () => {
  test('goes to all recipients with subject, sender, recipients, date and an id', async (t) => {
    const base =
      'from: "Alerts <alerts@example.org>", to: "ops@example.org, Dev <dev@example.org>", require_tls: false';
    const { sink, delivery } = await sendToSmtpSink(t, {}, '', base);
    assert.deepEqual(delivery, { ok: true });
    assert.deepEqual(sink.commands, [
      'EHLO localhost',
      'MAIL FROM:<alerts@example.org>',
      'RCPT TO:<ops@example.org>',
      'RCPT TO:<dev@example.org>',
      'DATA',
      'QUIT',
    ]);
    const [mail] = sink.mails;
    assert.equal(mail?.from, 'alerts@example.org');
    assert.deepEqual(mail?.to, ['ops@example.org', 'dev@example.org']);
    const { headers, parts } = readMail(mail?.content ?? '');
    assert.equal(headers.get('subject'), '<email.default.subject>');
    assert.equal(headers.get('from'), 'Alerts <alerts@example.org>');
    assert.equal(headers.get('to'), 'ops@example.org, Dev <dev@example.org>');
    assert.equal(headers.get('date'), 'Thu, 01 Jan 2026 00:00:00 +0000');
    assert.match(headers.get('message-id') ?? '', /^<1767225600000\.[\da-f-]{36}@\S+>$/);
    assert.equal(headers.get('mime-version'), '1.0');
    assert.match(headers.get('content-type') ?? '', /^multipart\/alternative; *boundary=/);
    assert.equal(headers.has('references'), false);
    assert.deepEqual(parts, [{ type: 'text/html; charset=utf-8', text: '<email.default.html>' }]);
  });

  test('has the text first and the preferred HTML last', async (t) => {
    const long = 'ä'.repeat(100);
    const { sink } = await sendToSmtpSink(t, {}, `text: "${long}\\n.\\n.end", html: "<b>{{ .Status }}</b>"`);
    assert.deepEqual(readMail(sink.mails[0]?.content ?? '').parts, [
      { type: 'text/plain; charset=utf-8', text: `${long}\r\n.\r\n.end` },
      { type: 'text/html; charset=utf-8', text: '<b>firing</b>' },
    ]);
  });

  test('has only a text part without HTML', async (t) => {
    const { sink } = await sendToSmtpSink(t, {}, 'text: down, html: ""');
    assert.deepEqual(readMail(sink.mails[0]?.content ?? '').parts, [
      { type: 'text/plain; charset=utf-8', text: 'down' },
    ]);
  });

  test('has headers of its own, which are templates, in any spelling', async (t) => {
    const { sink } = await sendToSmtpSink(
      t,
      {},
      'headers: {SUBJECT: "{{ .Status }}", to: everybody, x-team: "Größe", message-id: <1@x>, content-type: text/x}',
    );
    const { headers } = readMail(sink.mails[0]?.content ?? '');
    assert.equal(headers.get('subject'), 'firing');
    assert.equal(headers.get('to'), 'everybody:;');
    assert.equal(headers.get('x-team'), '=?UTF-8?Q?Gr=C3=B6=C3=9Fe?=');
    assert.equal(headers.get('message-id'), '<1@x>');
    assert.match(headers.get('content-type') ?? '', /^multipart\/alternative/);
  });

  test('cannot get more headers by a line break in a template', async (t) => {
    const { sink } = await sendToSmtpSink(t, {}, 'headers: {Subject: "a\\r\\nBcc: b@example.org"}');
    const { headers } = readMail(sink.mails[0]?.content ?? '');
    assert.equal(headers.has('bcc'), false);
  });

  const threads: readonly (readonly [string, RegExp])[] = [
    ['none', new RegExp(`^<alert-${GROUP_HASH.slice(0, 16)}-@alertmanager>$`)],
    ['daily', new RegExp(`^<alert-${GROUP_HASH.slice(0, 16)}-20\\d\\d-\\d\\d-\\d\\d@alertmanager>$`)],
  ];
  for (const [byDate, root] of threads) {
    test(`belongs to the thread of its group, by date: ${byDate}`, async (t) => {
      const { sink } = await sendToSmtpSink(t, {}, `threading: {enabled: true, thread_by_date: ${byDate}}`);
      const { headers } = readMail(sink.mails[0]?.content ?? '');
      assert.match(headers.get('references') ?? '', root);
      assert.equal(headers.get('in-reply-to'), headers.get('references'));
    });
  }

  const addresses: readonly (readonly [string, string])[] = [
    ['from: "a@example.org, b@example.org", to: c@example.org', "must be exactly one 'from' address (got: 2)"],
    ['from: nobody, to: c@example.org', `parse 'from' addresses: no address in "nobody"`],
    ['from: a@example.org, to: "b@example.org, nobody"', `parse 'to' addresses: no address in "nobody"`],
    ['from: a@example.org, to: " "', "parse 'to' addresses: no address"],
  ];
  for (const [base, error] of addresses) {
    test(`cannot be sent with ${base}`, async (t) => {
      const { sink, delivery } = await sendToSmtpSink(t, {}, '', `${base}, require_tls: false`);
      assert.deepEqual(delivery, { ok: false, retry: false, reason: 'other', error });
      assert.deepEqual(sink.commands, []);
    });
  }

  test('goes to a domain in its ASCII form', async (t) => {
    const { sink } = await sendToSmtpSink(t, {}, '', 'from: a@example.org, to: b@bücher.example, require_tls: false');
    assert.deepEqual(sink.mails[0]?.to, ['b@xn--bcher-kva.example']);
  });
});

/** Headers unfolded, under their names in lower case, and the parts decoded from quoted-printable. */
function readMail(content: string) {
  const [head = '', ...rest] = content.split('\r\n\r\n');
  const headers = readHeaders(head);
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
  const sections = rest.join('\r\n\r\n').split(`--${boundary}`).slice(1, -1);
  const parts = sections.map((section) => {
    const [partHead = '', ...body] = section.replace(/^\r\n|\r\n$/g, '').split('\r\n\r\n');
    const part = readHeaders(partHead);
    assert.equal(part.get('content-transfer-encoding'), 'quoted-printable');
    const bytes = body
      .join('\r\n\r\n')
      .replace(/=\r\n/g, '')
      .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return { type: part.get('content-type')?.toLowerCase(), text: Buffer.from(bytes, 'latin1').toString('utf8') };
  });
  return { headers, parts };
}

function readHeaders(head: string): ReadonlyMap<string, string> {
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
}
