import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { bundleScript, startChild } from '../../testing/child-script.ts';
import { notifyOnce } from '../../testing/integration.ts';
import { emailYaml, type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '../../testing/smtp-sink.ts';
import { emailIntegration as email } from './email.ts';
import { type MailServer, MailSession } from './email-session.ts';
import type { Delivery } from './notifier.ts';

const WAYS = [
  ['in plain', {}],
  ['by STARTTLS', { offers: ['STARTTLS'] }],
  ['through TLS from the start', { implicitTls: true }],
] as const satisfies readonly (readonly [string, SmtpSinkOptions])[];

function serverOf({ port }: SmtpSink, { offers = [], implicitTls = false }: SmtpSinkOptions): MailServer {
  const address = `127.0.0.1:${port}`;
  const requireTls = offers.includes('STARTTLS');
  return {
    host: '127.0.0.1',
    port,
    address,
    hello: 'localhost',
    implicitTls,
    requireTls,
    tls: { rejectUnauthorized: false },
  };
}

/** So many bytes in lines. */
const contentOf = (size: number) => 'A line of text, repeated until there is enough.\r\n'.repeat(size / 49);

/** Sends a mail of so many bytes, and kills itself when it has been handed over. */
const sender = bundleScript(`
  import { MailSession } from '../alerts/notify/email-session.ts';

  const [server, content] = process.argv.slice(1);
  const session = await MailSession.open(JSON.parse(server), new AbortController().signal);
  const done = () => process.kill(process.pid, 'SIGKILL');
  const mail = { from: 'a@example.org', to: ['b@example.org'], content: Buffer.from(content.repeat(1000)) };
  await session.send(mail, { done, undone() {} });
`);

describe('a mail that was handed over arrives whole though the process dies at once', () => {
  for (const [way, options] of WAYS) {
    for (const size of [98, 9_800]) {
      test(`${way}, ${size} kB`, async (t) => {
        const sink = await startSmtpSink(t, options);
        const child = startChild(t, await sender, { args: [JSON.stringify(serverOf(sink, options)), contentOf(size)] });
        assert.deepEqual(await child.end, { code: null, signal: 'SIGKILL', stderr: '' });
        await sink.openConnections(0);
        assert.deepEqual(
          sink.mails.map(({ content }) => content.length),
          [contentOf(size).length * 1000 - '\r\n'.length],
        );
      });
    }
  }
});

/** Opens a session, sends such a mail, and keeps what is heard of it in order. */
function send(sink: SmtpSink, options: SmtpSinkOptions, { content = 'Hello', to = ['b@example.org'] } = {}) {
  const heard: string[] = [];
  const controller = new AbortController();
  const handover = { done: () => void heard.push('done'), undone: () => void heard.push('undone') };
  const sending = async () => {
    const session = await MailSession.open(serverOf(sink, options), controller.signal);
    await session.send({ from: 'a@example.org', to, content: Buffer.from(content) }, handover);
    heard.push('sent');
  };
  const end = sending().catch((error: Error) => void heard.push(error.message));
  return { heard, controller, end };
}

const someTurns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((done) => setTimeout(done, 5));
};

/** A sink that stops reading as soon as it has asked for the message. */
async function startSlowSink(t: TestContext, options: SmtpSinkOptions) {
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const script = (command: string) => {
    if (command === 'DATA') {
      sink.pause();
      isAsked();
    }
    return undefined;
  };
  const sink = await startSmtpSink(t, { ...options, script });
  return { sink, asked };
}

describe('a mail of which the server does not read all', () => {
  for (const [way, options] of WAYS) {
    test(`is handed over when it reads on: ${way}`, async (t) => {
      const { sink, asked } = await startSlowSink(t, options);
      const content = contentOf(19_600_000);
      const { heard, end } = send(sink, options, { content });
      await asked;
      await someTurns();
      assert.deepEqual(heard, []);
      sink.resume();
      await end;
      assert.deepEqual(heard, ['done', 'sent']);
      assert.equal(sink.mails[0]?.content.length, content.length - '\r\n'.length);
    });

    test(`is not handed over by the end of the attempt: ${way}`, async (t) => {
      const { sink, asked } = await startSlowSink(t, options);
      const { heard, controller, end } = send(sink, options, { content: contentOf(19_600_000) });
      await asked;
      await someTurns();
      controller.abort(new DOMException('late', 'TimeoutError'));
      await end;
      await someTurns();
      assert.deepEqual(heard, ['delivery failure: context deadline exceeded']);
    });
  }
});

describe('a mail', () => {
  const atStep = (verb: string, reply: string) => (command: string) =>
    command.split(' ', 1)[0] === verb ? reply : undefined;

  for (const offers of [[], ['PIPELINING']]) {
    for (const verb of ['EHLO', 'MAIL', 'RCPT', 'DATA']) {
      for (const reply of ['554 5.7.1 never', 'reset']) {
        test(`is not handed over where ${verb} is answered ${reply} ${offers.join()}`, async (t) => {
          const options = { offers, script: atStep(verb, reply) };
          const { heard, end } = send(await startSmtpSink(t, options), options);
          await end;
          assert.equal(heard.length, 1);
          assert.match(heard[0] ?? '', /^send /);
        });
      }
    }
  }

  test('is handed over to nobody where one of its recipients is refused', async (t) => {
    const options = { offers: ['PIPELINING'], script: atStep('RCPT', '550 5.1.1 unknown') };
    const to = ['b@example.org', 'c@example.org'];
    const first = { ...options, script: (line: string) => (line.includes('<b@') ? '550 5.1.1 unknown' : undefined) };
    for (const either of [options, first]) {
      const { heard, end } = send(await startSmtpSink(t, either), either, { to });
      await end;
      assert.deepEqual(heard, ['send RCPT command: 550 5.1.1 unknown']);
    }
  });

  test('is handed over once, to all of its recipients', async (t) => {
    const sink = await startSmtpSink(t, { offers: ['PIPELINING'] });
    const { heard, end } = send(sink, {}, { to: ['b@example.org', 'c@example.org'] });
    await end;
    assert.deepEqual(heard, ['done', 'sent']);
    assert.deepEqual(sink.mails[0]?.to, ['b@example.org', 'c@example.org']);
  });

  for (const [reply, error] of [
    ['451 4.3.0 later', 'delivery failure: 451 4.3.0 later'],
    ['554 5.7.1 never', 'delivery failure: 554 5.7.1 never'],
    ['reset', 'delivery failure: Connection closed unexpectedly'],
  ] as const) {
    test(`whose dot is answered ${reply} was handed over, and has failed`, async (t) => {
      const sink = await startSmtpSink(t, { script: atStep('MESSAGE', reply) });
      const { heard, end } = send(sink, {});
      await end;
      assert.deepEqual(heard, ['done', error]);
    });
  }

  test('of a notification is handed over before its answer is read', async (t) => {
    const sink = await startSmtpSink(t, { script: atStep('MESSAGE', 'hang') });
    const controller = new AbortController();
    let delivery: Delivery | undefined;
    let sending: Promise<Delivery> | undefined;
    await new Promise<void>((done) => {
      const handover = { done, undone() {} };
      sending = notifyOnce(email, emailYaml(sink.port), { signal: controller.signal, handover });
      sending.then((result) => {
        delivery = result;
      });
    });
    assert.equal(delivery, undefined);
    controller.abort(new Error('the server stops'));
    assert.equal((await sending)?.ok, false);
  });
});
