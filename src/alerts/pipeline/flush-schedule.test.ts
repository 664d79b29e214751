import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { Random } from '../../testing/random.ts';
import { FlushSchedule, type Scheduled } from './flush-schedule.ts';

interface Item extends Scheduled {
  readonly name: string;
}

const item = (name: string): Item => ({ name, nextFlushAt: Number.POSITIVE_INFINITY });

function createSchedule(onDue: (due: Item) => void = () => {}) {
  const clock = new FakeClock(0);
  const ran: string[] = [];
  const schedule = new FlushSchedule<Item>(clock, (due) => {
    ran.push(`${due.name}@${clock.now()}`);
    onDue(due);
  });
  return { clock, schedule, ran };
}

test('each entry is due at its own moment, entries of one moment in the order of their setting', () => {
  const { clock, schedule, ran } = createSchedule();
  schedule.start();
  const [a, b, c, d] = [item('a'), item('b'), item('c'), item('d')] as const;
  schedule.set(a, 30);
  schedule.set(b, 10);
  schedule.set(c, 30);
  schedule.set(d, 20);
  clock.advance(9);
  assert.deepEqual(ran, []);
  clock.advance(100);
  assert.deepEqual(ran, ['b@10', 'd@20', 'a@30', 'c@30']);
});

test('an entry set anew is due at the new moment alone; a removed entry is never due', () => {
  const { clock, schedule, ran } = createSchedule();
  schedule.start();
  const [later, earlier, gone] = [item('later'), item('earlier'), item('gone')] as const;
  for (const one of [later, earlier, gone]) schedule.set(one, 50);
  schedule.set(later, 70);
  schedule.set(earlier, 20);
  schedule.delete(gone);
  assert.equal(gone.nextFlushAt, Number.POSITIVE_INFINITY);
  clock.advance(100);
  assert.deepEqual(ran, ['earlier@20', 'later@70']);
});

test('before the start all wait, and then late entries are due at once', () => {
  const { clock, schedule, ran } = createSchedule();
  schedule.set(item('late'), 10);
  schedule.set(item('not yet'), 50);
  clock.advance(40);
  assert.deepEqual(ran, []);
  schedule.start();
  clock.advance(0);
  assert.deepEqual(ran, ['late@40']);
  clock.advance(10);
  assert.deepEqual(ran, ['late@40', 'not yet@50']);
});

test('after the stop nothing is due', () => {
  const { clock, schedule, ran } = createSchedule();
  schedule.start();
  schedule.set(item('a'), 10);
  schedule.stop();
  assert.equal(schedule.isRunning, false);
  schedule.set(item('b'), 20);
  clock.advance(100);
  assert.deepEqual(ran, []);
});

test('a due entry may set itself anew, also to the same moment', () => {
  let again = 3;
  const { clock, schedule, ran } = createSchedule((due) => {
    if (again-- > 0) schedule.set(due, clock.now() + (again === 1 ? 0 : 10));
  });
  schedule.start();
  schedule.set(item('a'), 10);
  clock.advance(100);
  assert.deepEqual(ran, ['a@10', 'a@20', 'a@20', 'a@30']);
});

test('one turn is short: during a long run other work has its turn before the remaining entries', () => {
  const clock = new FakeClock(0);
  let slow = 0;
  const ran: number[] = [];
  const now = () => clock.now() + slow;
  const schedule = new FlushSchedule<Item>({ ...bound(clock), now, monotonic: now }, () => {
    ran.push(clock.now());
    slow += 4;
  });
  for (let n = 0; n < 10; n++) schedule.set(item(String(n)), 10);
  schedule.start();
  let others = 0;
  clock.after(10, () => {
    others = ran.length;
  });
  clock.advance(10);
  assert.equal(others, 3);
  clock.advance(100);
  assert.equal(ran.length, 10);
});

function bound(clock: FakeClock) {
  return { after: clock.after.bind(clock), every: clock.every.bind(clock) };
}

test('thousands that came and went leave the others due at their moments', () => {
  const { clock, schedule, ran } = createSchedule();
  schedule.start();
  schedule.set(item('first'), 10);
  for (let n = 0; n < 5_000; n++) {
    const one = item(String(n));
    schedule.set(one, 20);
    schedule.delete(one);
  }
  schedule.set(item('last'), 30);
  clock.advance(100);
  assert.deepEqual(ran, ['first@10', 'last@30']);
});

test('an entry moved to and fro is due once, after entries set meanwhile', () => {
  const { clock, schedule, ran } = createSchedule();
  schedule.start();
  const [a, b, c] = [item('a'), item('b'), item('c')] as const;
  schedule.set(a, 50);
  schedule.set(b, 50);
  for (let times = 0; times < 5_000; times++) {
    schedule.set(a, 70);
    schedule.set(a, 50);
  }
  schedule.set(c, 50);
  clock.advance(100);
  assert.deepEqual(ran, ['b@50', 'a@50', 'c@50']);
});

test('an entry that sets itself anew to the moment under way is due once more, whatever is compacted meanwhile', () => {
  const [first, again, other] = [item('first'), item('again'), item('other')] as const;
  const { clock, schedule, ran } = createSchedule((due) => {
    if (due !== again || ran.length > 2) return;
    schedule.set(again, 10);
    for (let n = 0; n < 2_000; n++) {
      const gone = item(String(n));
      schedule.set(gone, 10);
      schedule.delete(gone);
    }
  });
  schedule.start();
  for (const one of [first, again, other]) schedule.set(one, 10);
  clock.advance(100);
  assert.deepEqual(ran, ['first@10', 'again@10', 'other@10', 'again@10']);
});

test('after any sets, moves and removals every entry is due once, at its last moment', () => {
  const random = new Random(51);
  for (let round = 0; round < 50; round++) {
    const { clock, schedule, ran } = createSchedule();
    if (random.chance(0.8)) schedule.start();
    const items = Array.from({ length: 20 }, (_, n) => item(String(n)));
    const expected: string[] = [];
    const wanted = new Map<Item, number>();
    for (let step = 0; step < 100; step++) {
      const one = random.pick(items);
      if (random.chance(0.2)) {
        schedule.delete(one);
        wanted.delete(one);
      } else {
        const at = clock.now() + random.int(1, 40);
        schedule.set(one, at);
        wanted.set(one, at);
      }
      if (!schedule.isRunning || random.chance(0.6)) continue;
      clock.advance(random.int(0, 20));
      for (const [late, at] of wanted) {
        if (at > clock.now()) continue;
        expected.push(`${late.name}@${at}`);
        wanted.delete(late);
      }
    }
    if (!schedule.isRunning) continue;
    assert.deepEqual([...ran].sort(), expected.sort());
  }
});

for (const jump of [-3_600_000, 3_600_000]) {
  test(`a clock that jumps by ${jump / 1000} s moves no moment that was set before`, () => {
    const { clock, schedule, ran } = createSchedule();
    clock.advance(10_000_000);
    schedule.start();
    const now = clock.now();
    schedule.set(item('old'), now + 50);
    clock.advance(10);
    clock.jump(jump);
    schedule.set(item('new'), clock.now() + 20);
    clock.advance(39);
    assert.deepEqual(ran, [`new@${now + jump + 30}`]);
    clock.advance(1);
    assert.equal(ran[1], `old@${now + jump + 50}`);
  });
}

test('a clock set back between two timers moves no moment either', () => {
  const { clock, schedule, ran } = createSchedule();
  clock.advance(10_000_000);
  schedule.start();
  schedule.set(item('a'), clock.now() + 50);
  clock.jump(-3_600_000);
  clock.advance(50);
  assert.deepEqual(ran, ['a@6400050']);
});
