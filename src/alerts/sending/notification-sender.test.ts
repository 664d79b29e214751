import assert from 'node:assert/strict';
import { test } from 'node:test';
import { START } from '../../testing/alert-parts.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { FakeLines } from '../../testing/fake-lines.ts';
import { notificationOf, notifiedAlert } from '../../testing/notifier-parts.ts';
import { HandoverLog } from '../notifications/handover-log.ts';
import { DELIVERED, failedForGood } from '../notify/deliver.ts';
import type { Delivery, Notifier } from '../notify/notifier.ts';
import { TemplateError } from '../template/template-error.ts';
import { NotificationSender } from './notification-sender.ts';

const idOf = (n: number) => n.toString(16).padStart(32, '0');
const SETTINGS = {
  externalUrl: '',
  templates: [],
  receivers: [{ name: 'team', integrations: [{ name: 'webhook', index: 0, config: {} }] }],
};
const never = () => new Promise<Delivery>(() => {});

/** A sender that can be started again, as after its death; `notify` is the one integration that there is. */
function createSenders(notify: Notifier['notify'], { mostBytes = 1_000_000 } = {}) {
  const clock = new FakeClock(START);
  const lines = new FakeLines();
  const log = { error: () => {} } as never;
  let attempt = 0;
  let asked = 0;
  const notifiers = new Map([
    [
      'team',
      [
        {
          notify: (...parts: Parameters<Notifier['notify']>) => {
            asked++;
            return notify(...parts);
          },
        },
      ],
    ],
  ]);
  const start = async () => {
    const handovers = new HandoverLog({ lines, clock, log, mostBytes });
    handovers.load();
    const sender = new NotificationSender({ handovers, openNotifiers: () => ({ notifiers, close: async () => {} }) });
    await sender.open(1, SETTINGS);
    const send = (id: string, plan = 1) =>
      sender.send({
        ...{ attempt: ++attempt, plan, receiver: 'team', place: 0 },
        notification: notificationOf([notifiedAlert({ alertname: 'Down' })], { id }),
      });
    return { sender, send };
  };
  /** What the file says, without times and recipients. */
  const noted = () => lines.all.map((line) => line.replace(/ [0-9a-f]{16} \d+/, '').trimEnd());
  return { start, noted, lines, clock, asked: () => asked };
}

test('what was taken is noted before that is told, also by whom nobody has ever heard, with what it has left behind', async () => {
  let answer: Delivery = DELIVERED;
  const { start, noted } = createSenders(async () => answer);
  const { send } = await start();
  assert.deepEqual(await send(idOf(1)), { ok: true, isNoted: true });
  answer = { ok: true, receiverData: { thread: 'x y' } };
  assert.deepEqual(await send(idOf(2)), { ...answer, isNoted: true });
  const data = Buffer.from('{"thread":"x y"}').toString('base64url');
  assert.deepEqual(noted(), ['trusted', `told ${idOf(1)}`, `told ${idOf(2)} ${data}`]);
});

test('what a sender that has died has noted is not sent again by the next one', async () => {
  let answer: Delivery = { ok: true, receiverData: { thread: 7 } };
  const { start, asked } = createSenders(async (_, __, handover) => {
    handover?.done();
    return answer;
  });
  const before = await start();
  await before.send(idOf(1));
  const after = await start();
  assert.deepEqual(await after.send(idOf(1)), { ok: true, receiverData: { thread: 7 }, isNoted: true });
  assert.equal(asked(), 1);
  await after.sender.settle([idOf(1)]);
  answer = DELIVERED;
  await after.send(idOf(1));
  assert.equal(asked(), 2);
});

test('what was handed over to a trusted recipient, and not answered, counts for the next one, unless it fails meanwhile', async () => {
  for (const isDoubted of [false, true]) {
    const { start, asked } = createSenders(async (notification, _, handover) => {
      if (notification.id === idOf(2)) handover?.done();
      if (notification.id === idOf(3)) return failedForGood('no');
      return notification.id === idOf(1) ? DELIVERED : never();
    });
    const before = await start();
    await before.send(idOf(1));
    void before.send(idOf(2));
    if (isDoubted) await before.send(idOf(3));
    const after = await start();
    const count = asked();
    void after.send(idOf(2));
    assert.equal(asked() - count, isDoubted ? 1 : 0);
  }
});

test('what is settled is left out when the file is written anew', async () => {
  const { start, lines, noted } = createSenders(async () => DELIVERED, { mostBytes: 1_000 });
  const { sender, send } = await start();
  await send(idOf(1));
  for (let n = 2; n < 100; n++) {
    await send(idOf(n));
    await sender.settle([idOf(n)]);
    assert.ok(lines.size < 1_100, `${lines.size} bytes`);
  }
  assert.deepEqual(noted().slice(0, 2), ['trusted', `told ${idOf(1)}`]);
});

test('a failure is no note, and makes what follows untrusted; the end of an attempt from outside does not', async () => {
  let answer: Delivery = failedForGood('no');
  const { start, noted } = createSenders(async (_, __, handover) => {
    handover?.done();
    return answer;
  });
  const { send } = await start();
  assert.deepEqual(await send(idOf(1)), answer);
  assert.deepEqual(noted(), ['doubted']);
  answer = { ok: false, retry: true, reason: 'contextCanceled', error: 'the server stops' };
  const other = createSenders(async () => answer);
  assert.deepEqual(await (await other.start()).send(idOf(2)), answer);
  assert.deepEqual(other.noted(), []);
});

test('a template that cannot be rendered is a failure that no other attempt can mend', async () => {
  const { start } = createSenders(() => Promise.reject(new TemplateError('template: :1: bad')));
  assert.deepEqual(await (await start()).send(idOf(1)), failedForGood('template: :1: bad'));
});

test('a fault of ours is told as what it is, and is no end of the work', async () => {
  const { start } = createSenders(() => Promise.reject(new RangeError('a bug')));
  const { sender, send } = await start();
  await assert.rejects(send(idOf(1)), RangeError);
  await assert.rejects(send(idOf(1), 2), /there is no integration 0 of team in plan 2/);
  await sender.idle();
});

test('an attempt is ended by its number, with the name and the words of the reason', async () => {
  const reasons: unknown[] = [];
  const { start } = createSenders(
    (_, signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          resolve(failedForGood('ended'));
        }),
      ),
  );
  const { sender, send } = await start();
  const sent = send(idOf(1));
  await sender.abort(99, { name: 'Error', message: 'of another' });
  assert.deepEqual(reasons, []);
  await sender.abort(1, { name: 'TimeoutError', message: 'too late' });
  assert.deepEqual(await sent, failedForGood('ended'));
  assert.equal(String(reasons[0]), 'TimeoutError: too late');
});

test('a plan that is opened twice is made once', async () => {
  let made = 0;
  const handovers = new HandoverLog({ lines: new FakeLines(), clock: new FakeClock(), log: {} as never });
  const openNotifiers = () => {
    made++;
    return { notifiers: new Map(), close: async () => {} };
  };
  const sender = new NotificationSender({ handovers, openNotifiers });
  await Promise.all([sender.open(1, SETTINGS), sender.open(1, SETTINGS), sender.open(2, SETTINGS)]);
  assert.equal(made, 2);
});

test('it is idle when the last attempt has come to its end', async () => {
  const releases: (() => void)[] = [];
  const { start } = createSenders(() => new Promise((resolve) => releases.push(() => resolve(DELIVERED))));
  const { sender, send } = await start();
  await sender.idle();
  const sent = [send(idOf(1)), send(idOf(2))];
  let isIdle = false;
  const idle = sender.idle().then(() => {
    isIdle = true;
  });
  releases[0]?.();
  await sent[0];
  assert.equal(isIdle, false);
  releases[1]?.();
  await idle;
});
