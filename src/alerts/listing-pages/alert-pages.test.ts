import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { ACTIVE } from '../domain/alert-status.ts';
import { type AlertSlot, forgetAlert, type ListedAlert } from '../store/slot.ts';
import { alertOf, START } from '../testing/parts.ts';
import { Pages } from './alert-pages.ts';

/** A world of alerts that are listed, and count how often they are printed. */
function createPages() {
  const pages = new Pages<AlertSlot>(() => 1);
  const versions = new Map<AlertSlot, number>();
  let printed = 0;
  const textOf = (slot: AlertSlot) => `"${slot.id} in version ${versions.get(slot) ?? 0}"`;
  const print = (slot: AlertSlot): ListedAlert => {
    printed++;
    const bytes = Buffer.from(textOf(slot));
    return { status: ACTIVE, receiversJson: '[]', until: slot.alert.endsAt, bytes, start: 0, end: bytes.length };
  };
  const slotOf = (id: number): AlertSlot => ({
    id,
    alert: alertOf({ n: `${id}` }, { endsAt: START + id }),
    hasNewContent: true,
    isSettled: false,
    isAnnounced: false,
    isInDoubt: false,
  });
  return {
    pages,
    slotOf,
    textOf,
    current: (sorted: readonly AlertSlot[]) => pages.current(sorted, START, print),
    change(slot: AlertSlot) {
      versions.set(slot, (versions.get(slot) ?? 0) + 1);
      forgetAlert(slot);
    },
    takePrinted() {
      const count = printed;
      printed = 0;
      return count;
    },
  };
}

const byId = (a: AlertSlot, b: AlertSlot) => a.id - b.id;

test('pages hold the texts of all alerts in their order, through any changes', () => {
  const { slotOf, textOf, current, change, takePrinted } = createPages();
  const random = new Random(21);
  const held = new Map<number, AlertSlot>();
  let sorted: readonly AlertSlot[] = [];
  for (let round = 0; round < 150; round++) {
    const printed = new Set<AlertSlot>();
    for (let count = random.int(0, 300); random.chance(0.5) && count > 0; count--) {
      const slot = slotOf(random.int(0, 5_000));
      if (held.has(slot.id)) continue;
      held.set(slot.id, slot);
      printed.add(slot);
    }
    for (let count = random.int(0, 50); count > 0 && sorted.length > 0; count--) {
      const slot = random.pick(sorted);
      change(slot);
      printed.add(slot);
    }
    const share = random.chance(0.2) ? random.pick([0.1, 0.5, 1]) : 0;
    for (const slot of held.values()) {
      if (share === 0 || !random.chance(share)) continue;
      held.delete(slot.id);
      printed.delete(slot);
    }
    sorted = [...held.values()].sort(byId);
    const pages = current(sorted);
    assert.equal(takePrinted(), printed.size, `round ${round}`);
    assert.equal(pages.map(({ bytes }) => bytes.toString()).join(), sorted.map(textOf).join());
    assert.ok(pages.every(({ items }) => items.length > 0 && items.length <= 128));
    for (const { items, until } of pages) assert.equal(until, Math.min(...items.map(({ alert }) => alert.endsAt)));
    for (const slot of sorted) {
      const { bytes, start, end } = slot.listed as ListedAlert;
      assert.equal(bytes.toString('utf8', start, end), textOf(slot));
    }
  }
});

test('a change reprints its own page; a page being read stays as it was', () => {
  const { slotOf, current, change } = createPages();
  const sorted = Array.from({ length: 1_000 }, (_, id) => slotOf(id));
  const before = current(sorted).map(({ bytes }) => bytes);
  const texts = before.map(String);
  change(sorted[500] as AlertSlot);
  const after = current(sorted).map(({ bytes }) => bytes);
  assert.equal(after.filter((bytes, place) => bytes !== before[place]).length, 1);
  assert.deepEqual(before.map(String), texts);
  const more = [...sorted, slotOf(1_000)];
  assert.equal(current(more).filter(({ bytes }) => !after.includes(bytes)).length, 1);
});

test('an ended alert is printed anew, and left out where its print is empty', () => {
  const { pages, slotOf } = createPages();
  const sorted = Array.from({ length: 5 }, (_, id) => slotOf(id));
  const listed = (now: number) =>
    pages
      .current(sorted, now, (slot) => {
        const isOver = slot.alert.endsAt < now;
        const bytes = Buffer.from(isOver && slot.id !== 3 ? '' : `${slot.id}${isOver ? ' is over' : ''}`);
        const until = isOver ? Number.POSITIVE_INFINITY : slot.alert.endsAt;
        return { status: ACTIVE, receiversJson: '[]', until, bytes, start: 0, end: bytes.length };
      })
      .map(({ bytes }) => String(bytes));
  assert.deepEqual(listed(START), ['0,1,2,3,4']);
  assert.deepEqual(listed(START + 1), ['1,2,3,4']);
  assert.deepEqual(listed(START + 4), ['3 is over,4']);
  assert.deepEqual(listed(START + 5), ['3 is over']);
  assert.deepEqual(listed(START + 6), ['3 is over']);
});
