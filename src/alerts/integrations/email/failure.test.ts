import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { notifyOnce } from '../../testing/integration.ts';
import { emailYaml, type SmtpSinkOptions, sendToSmtpSink, startSmtpSink } from '../../testing/smtp-sink.ts';
import type { Delivery } from '../notifier.ts';
import { emailIntegration as email } from './email.ts';

function errorOf(delivery: Delivery): string {
  assert.equal(delivery.ok, false);
  return delivery.ok ? '' : delivery.error;
}

/** All steps at which a mail server can fail, with their names in the error. */
const STEPS: readonly (readonly [string, string])[] = [
  ['GREETING', 'create SMTP client'],
  ['EHLO', 'send EHLO command'],
  ['MAIL', 'send MAIL command'],
  ['RCPT', 'send RCPT command'],
  ['DATA', 'send DATA command'],
  ['MESSAGE', 'delivery failure'],
];

describe('a mail server that fails', () => {
  const answering = (verb: string, reply: string) => (command: string) =>
    command.split(' ', 1)[0] === verb || (verb === 'EHLO' && command.startsWith('HELO')) ? reply : undefined;

  for (const offers of [[], ['PIPELINING']]) {
    for (const [verb, step] of STEPS) {
      for (const reply of ['451 4.3.0 later', '554 5.7.1 never', '421 4.3.2 closing']) {
        test(`with ${reply} at ${verb} is tried again ${offers.join()}`, async (t) => {
          const { sink, delivery } = await sendToSmtpSink(t, { offers, script: answering(verb, reply) });
          assert.deepEqual(delivery, { ok: false, retry: true, reason: 'other', error: `${step}: ${reply}` });
          assert.equal(sink.mails.length, 0);
        });
      }
    }
  }

  for (const [verb] of STEPS) {
    test(`by cutting the connection at ${verb} is tried again`, async (t) => {
      const { delivery } = await sendToSmtpSink(t, { script: answering(verb, 'reset') });
      assert.match(errorOf(delivery), /: (Connection closed unexpectedly|connection reset by the other side)$/);
      assert.equal(delivery.ok || delivery.retry, true);
    });

    test(`by silence at ${verb} is left at the deadline, at once`, async (t) => {
      const sink = await startSmtpSink(t, { script: answering(verb, 'hang') });
      const controller = new AbortController();
      const sending = notifyOnce(email, emailYaml(sink.port), { signal: controller.signal });
      await sink.openConnections(1);
      controller.abort(new DOMException('late', 'TimeoutError'));
      const delivery = await sending;
      assert.match(errorOf(delivery), /: context deadline exceeded$/);
      assert.equal(delivery.ok || delivery.reason, 'contextDeadlineExceeded');
      await sink.openConnections(0);
    });
  }

  for (const offers of [[], ['PIPELINING']]) {
    test(`for one of the recipients fails for all of them, so that none is sent it twice ${offers.join()}`, async (t) => {
      const script = (command: string) => (command.includes('<gone@') ? '550 5.1.1 no such user' : undefined);
      const base = 'from: a@example.org, to: "ops@example.org, gone@example.org", require_tls: false';
      const { sink, delivery } = await sendToSmtpSink(t, { offers, script }, '', base);
      assert.equal(errorOf(delivery), 'send RCPT command: 550 5.1.1 no such user');
      assert.deepEqual(sink.mails, []);
    });
  }

  test('at QUIT has accepted the mail all the same', async (t) => {
    for (const reply of ['500 what', 'reset']) {
      const { sink, delivery } = await sendToSmtpSink(t, { script: answering('QUIT', reply) });
      assert.deepEqual(delivery, { ok: true });
      assert.equal(sink.mails.length, 1);
    }
  });

  test('at QUIT is disconnected after two seconds', async (t) => {
    const clock = new FakeClock();
    const sink = await startSmtpSink(t, { script: answering('QUIT', 'hang') });
    assert.deepEqual(await notifyOnce(email, emailYaml(sink.port), { context: { clock } }), { ok: true });
    clock.advance(2000);
    await sink.openConnections(0);
  });

  const silences: readonly (readonly [string, SmtpSinkOptions, string])[] = [
    ['STARTTLS', { offers: ['STARTTLS'], script: answering('STARTTLS', 'hang') }, 'require_tls: true'],
    ['AUTH', { offers: ['AUTH PLAIN'], script: answering('AUTH', 'hang') }, 'auth_username: a, auth_password: b'],
    ['a TLS handshake', { script: answering('GREETING', 'hang') }, 'force_implicit_tls: true'],
  ];
  for (const [step, options, more] of silences) {
    test(`by silence at ${step} is left at the deadline, at once`, async (t) => {
      const sink = await startSmtpSink(t, options);
      const controller = new AbortController();
      const yaml = emailYaml(
        sink.port,
        more,
        `from: a@example.org, to: b@example.org${more.startsWith('require') ? '' : ', require_tls: false'}`,
      );
      const sending = notifyOnce(email, yaml, { signal: controller.signal });
      await sink.openConnections(1);
      controller.abort(new DOMException('late', 'TimeoutError'));
      assert.match(errorOf(await sending), /: context deadline exceeded$/);
      await sink.openConnections(0);
    });
  }

  test('is not contacted when the time is already over', async (t) => {
    const sink = await startSmtpSink(t);
    const delivery = await notifyOnce(email, emailYaml(sink.port), { signal: AbortSignal.abort() });
    assert.equal(errorOf(delivery), 'establish connection to server: context canceled');
    assert.deepEqual(sink.commands, []);
  });
});
