import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PartEndedError } from '../../kernel/calls.ts';
import { createLog } from '../../kernel/log.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { notificationOf, notifiedAlert } from '../../testing/notifier-parts.ts';
import { settlePromises } from '../../testing/pipeline-parts.ts';
import { DELIVERED } from '../notify/deliver.ts';
import type { Delivery } from '../notify/notifier.ts';
import type { SenderMethods } from './notification-sender.ts';
import { type RunningSender, SenderLink } from './sender-link.ts';

const NOTIFICATION = notificationOf([notifiedAlert({ alertname: 'Down' })]);
const settingsOf = (externalUrl: string) => () => ({ externalUrl, templates: [], receivers: [] });
const running = () => new AbortController().signal;

/** A link to senders that keep what they are asked for; `send` is what they answer. */
function createLink(send: SenderMethods['send'] = async () => DELIVERED) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const logged: string[] = [];
  let failure: Error | undefined;
  let ready = async (): Promise<void> => {};
  const dying: ((why: string) => void)[] = [];
  const start = async (): Promise<RunningSender> => {
    if (failure) throw failure;
    asked.push('start');
    let die = (_: Error) => {};
    const died = new Promise<Error>((resolve) => {
      die = resolve;
    });
    const rejections: ((error: Error) => void)[] = [];
    dying.push((why) => {
      const error = new PartEndedError(why);
      for (const reject of rejections) reject(error);
      die(error);
    });
    const methods: SenderMethods = {
      ready: () => ready(),
      open: async (plan, { externalUrl }) => void asked.push(`open ${plan} ${externalUrl}`),
      close: async (plan) => void asked.push(`close ${plan}`),
      abort: async (attempt, { name }) => void asked.push(`abort ${attempt} ${name}`),
      settle: async (ids) => void asked.push(`settle ${ids}`),
      send: (order) => {
        asked.push(`send ${order.attempt} ${order.plan} ${order.receiver} ${order.place}`);
        return new Promise((resolve, reject) => {
          rejections.push(reject);
          send(order).then(resolve, reject);
        });
      },
    };
    return { methods, died, end: async () => void asked.push('end') };
  };
  const log = createLog({ level: 'debug', format: 'logfmt', clock, write: (line) => logged.push(line) });
  const link = new SenderLink({ start, clock, log });
  const fail = (error?: Error) => {
    failure = error;
  };
  const becomeReady = (how: typeof ready) => {
    ready = how;
  };
  return { link, clock, asked, logged, fail, becomeReady, die: (why: string) => dying.at(-1)?.(why) };
}

const never = () => new Promise<Delivery>(() => {});

test('nothing is started before something is sent; then every plan is opened, with what is known by then', async () => {
  const { link, asked } = createLink();
  let url = 'early';
  const [first, second] = [link.open(() => settingsOf(url)()), link.open(settingsOf('b'))];
  await settlePromises();
  assert.deepEqual(asked, []);
  url = 'late';
  assert.deepEqual(await second.notifier('team', 3).notify(NOTIFICATION, running()), DELIVERED);
  link.open(settingsOf('c'));
  first.close();
  await settlePromises();
  assert.deepEqual(asked, ['start', 'open 1 late', 'open 2 b', 'send 1 2 team 3', 'open 3 c', 'close 1']);
});

test('when the sender dies what is under way has failed and may be tried again, by another one that has the open plans', async () => {
  const { link, asked, logged, die } = createLink((order) =>
    order.attempt === 1 ? never() : Promise.resolve(DELIVERED),
  );
  const [closed, open] = [link.open(settingsOf('a')), link.open(settingsOf('b'))];
  const sent = open.notifier('team', 0).notify(NOTIFICATION, running());
  await settlePromises();
  closed.close();
  die('the process ended: SIGKILL');
  assert.deepEqual(await sent, { ok: false, retry: true, reason: 'other', error: 'the process ended: SIGKILL' });
  await settlePromises();
  assert.deepEqual(await open.notifier('team', 0).notify(NOTIFICATION, running()), DELIVERED);
  assert.deepEqual(asked.slice(4), ['close 1', 'start', 'open 2 b', 'send 2 2 team 0']);
  assert.match(
    logged.join(),
    /level=ERROR msg="The process that sends notifications has ended, another one is started"/,
  );
});

test('what cannot be started is told as the failure of each attempt, and tried again by the next', async () => {
  const { link, asked, fail } = createLink();
  const notifier = link.open(settingsOf('a')).notifier('team', 0);
  fail(new Error('no more processes'));
  link.start();
  const failed = { ok: false, retry: true, reason: 'other', error: 'no more processes' };
  assert.deepEqual(await notifier.notify(NOTIFICATION, running()), failed);
  assert.deepEqual(await notifier.notify(NOTIFICATION, running()), failed);
  fail();
  assert.deepEqual(await notifier.notify(NOTIFICATION, running()), DELIVERED);
  assert.deepEqual(asked, ['start', 'open 1 a', 'send 1 1 team 0']);
});

test('an attempt that is ended has two seconds to say what came of it', async () => {
  for (const isAnswered of [true, false]) {
    let answer = (_: Delivery) => {};
    const { link, clock, asked } = createLink(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const ending = new AbortController();
    const sent = link.open(settingsOf('a')).notifier('team', 0).notify(NOTIFICATION, ending.signal);
    await settlePromises();
    ending.abort(new DOMException('the deadline has passed', 'TimeoutError'));
    clock.advance(1_999);
    if (isAnswered) answer(DELIVERED);
    await settlePromises();
    clock.advance(1);
    const delivery = await sent;
    assert.equal(delivery.ok, isAnswered);
    if (!delivery.ok) assert.deepEqual([delivery.retry, delivery.reason], [true, 'contextDeadlineExceeded']);
    assert.equal(asked.at(-1), 'abort 1 TimeoutError');
  }
});

test('an attempt that is over before it began is not handed on', async () => {
  const { link, asked } = createLink();
  const notifier = link.open(settingsOf('a')).notifier('team', 0);
  const delivery = await notifier.notify(NOTIFICATION, AbortSignal.abort(new Error('the server stops')));
  assert.deepEqual([delivery.ok, !delivery.ok && delivery.reason], [false, 'contextCanceled']);
  assert.deepEqual(asked, ['start', 'open 1 a']);
});

test('what is settled in a turn is told at once', async () => {
  const { link, asked } = createLink();
  link.start();
  await settlePromises();
  for (const id of ['a', 'b', 'c']) link.settle(id);
  await settlePromises();
  link.settle('d');
  await settlePromises();
  assert.deepEqual(asked, ['start', 'settle a,b,c', 'settle d']);
});

test('a fault of ours is not hidden', async () => {
  const { link } = createLink(() => Promise.reject(new RangeError('a bug')));
  await assert.rejects(link.open(settingsOf('a')).notifier('team', 0).notify(NOTIFICATION, running()), RangeError);
});

test('after its end nothing is started', async () => {
  const { link, asked } = createLink();
  link.open(settingsOf('a'));
  link.start();
  await settlePromises();
  await link.end();
  assert.deepEqual(asked, ['start', 'open 1 a', 'end']);
  const { link: unused, asked: nothing } = createLink();
  await unused.end();
  const late = await unused.open(settingsOf('a')).notifier('team', 0).notify(NOTIFICATION, running());
  assert.deepEqual([late.ok, nothing], [false, []]);
});

test('one that never gets ready holds up no attempt beyond its end, and no end of the server', async () => {
  const { link, asked, becomeReady } = createLink();
  becomeReady(() => new Promise(() => {}));
  const ending = new AbortController();
  const sent = link.open(settingsOf('a')).notifier('team', 0).notify(NOTIFICATION, ending.signal);
  await settlePromises();
  ending.abort(new DOMException('the deadline has passed', 'TimeoutError'));
  const delivery = await sent;
  assert.deepEqual([delivery.ok, !delivery.ok && delivery.reason], [false, 'contextDeadlineExceeded']);
  await link.end();
  assert.deepEqual(asked, ['start', 'end']);
});

test('one that cannot get ready is ended before the next is started', async () => {
  const { link, asked, becomeReady } = createLink();
  const notifier = link.open(settingsOf('a')).notifier('team', 0);
  becomeReady(() => Promise.reject(new Error('no more descriptors')));
  const delivery = await notifier.notify(NOTIFICATION, running());
  assert.deepEqual([delivery.ok, !delivery.ok && delivery.error], [false, 'no more descriptors']);
  becomeReady(async () => {});
  assert.deepEqual(await notifier.notify(NOTIFICATION, running()), DELIVERED);
  assert.deepEqual(asked, ['start', 'end', 'start', 'open 1 a', 'send 1 1 team 0']);
});
