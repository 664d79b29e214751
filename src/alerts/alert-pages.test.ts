import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertOf, START } from '../testing/alert-parts.ts';
import { Random } from '../testing/random.ts';
import { AlertPages, Excerpt, forgetListed } from './alert-pages.ts';
import type { AlertSlot, ListedAlert } from './alert-slot.ts';
import { ACTIVE } from './domain/alert-status.ts';

/** A world of alerts that are listed, and count how often they are printed. */
function createPages() {
  const pages = new AlertPages();
  const versions = new Map<AlertSlot, number>();
  let printed = 0;
  const textOf = (slot: AlertSlot) => `"${slot.id} in version ${versions.get(slot) ?? 0}"`;
  const print = (slot: AlertSlot): ListedAlert => {
    printed++;
    const bytes = Buffer.from(textOf(slot));
    return { status: ACTIVE, receiversJson: '[]', bytes, start: 0, end: bytes.length };
  };
  const slotOf = (id: number): AlertSlot => ({
    id,
    alert: alertOf({ n: `${id}` }, { endsAt: START + id }),
    hasNewContent: true,
    isSettled: false,
  });
  return {
    pages,
    slotOf,
    textOf,
    current: (sorted: readonly AlertSlot[]) => pages.current(sorted, print),
    change(slot: AlertSlot) {
      versions.set(slot, (versions.get(slot) ?? 0) + 1);
      forgetListed(slot);
    },
    takePrinted() {
      const count = printed;
      printed = 0;
      return count;
    },
  };
}

const byId = (a: AlertSlot, b: AlertSlot) => a.id - b.id;

test('pages hold the texts of all alerts in their order, whatever comes, goes and changes', () => {
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
    assert.ok(pages.every(({ slots }) => slots.length > 0 && slots.length <= 128));
    for (const { slots, earliestEnd } of pages)
      assert.equal(earliestEnd, Math.min(...slots.map(({ alert }) => alert.endsAt)));
    for (const slot of sorted) {
      const { bytes, start, end } = slot.listed as ListedAlert;
      assert.equal(bytes.toString('utf8', start, end), textOf(slot));
    }
  }
});

test('a change costs its own page; what somebody reads stays as it was', () => {
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

test('texts that stand side by side are cut out in one piece', () => {
  const { slotOf, current } = createPages();
  const sorted = Array.from({ length: 100 }, (_, id) => slotOf(id));
  const [page] = current(sorted);
  assert.ok(page);
  const cut = (...places: number[]) => {
    const excerpt = new Excerpt();
    for (const place of places) excerpt.add(sorted[place]?.listed as ListedAlert);
    return excerpt.pieces().map(String);
  };
  assert.deepEqual(cut(), []);
  assert.deepEqual(cut(3, 4, 5, 9), ['"3 in version 0","4 in version 0","5 in version 0"', '"9 in version 0"']);
  const excerpt = new Excerpt();
  for (const { listed } of sorted) excerpt.add(listed as ListedAlert);
  assert.equal(excerpt.pieces()[0], page.bytes);
});
