import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleBuckets } from '../testdata/sample.ts';
import { TimeZoom } from './zoom.ts';
import {
  dragWindow,
  isWhole,
  panWindow,
  pinchWindow,
  spanOfWindow,
  timeLimits,
  widthOf,
  windowOfSpan,
  zoomWindow,
} from './zoom-window.ts';

const HOUR = 3_600_000;

/** `count` hours from hour `first` on, out of a selection of `whole` hours. */
function hours(first: number, count: number, whole: number, merged = 1) {
  const granularity = 'hour' as const;
  const starts = Float64Array.from({ length: count }, (_, index) => (first + index) * HOUR);
  return {
    starts,
    ends: starts.map((start) => start + HOUR),
    length: count,
    full: { from: 0, to: whole * HOUR },
    merged,
    granularity,
  };
}

const limits = { min: 0, max: 99, least: 2 };

test('zooming in halves the window around its anchor, which stays in place', () => {
  assert.deepEqual(zoomWindow({ min: 0, max: 99 }, 0.5, 50, limits), { min: 25, max: 74 });
  assert.deepEqual(zoomWindow({ min: 0, max: 99 }, 0.5, 0, limits), { min: 0, max: 49 });
  assert.deepEqual(zoomWindow({ min: 0, max: 99 }, 0.5, 99, limits), { min: 50, max: 99 });
});

test('every zoom step moves by a whole column, and none exceeds the limits', () => {
  let window = { min: 0, max: 99 };
  for (let step = 0; step < 300; step++) {
    const next = zoomWindow(window, 0.995, 37, limits);
    assert.ok(next.max - next.min < window.max - window.min || next.max - next.min === 1, `step ${step}`);
    assert.ok(next.min <= 37 && next.max >= 37, 'the anchor stays in sight');
    window = next;
  }
  assert.equal(window.max - window.min + 1, 2);
  for (let step = 0; step < 300; step++) {
    window = zoomWindow(window, 1.005, 37, limits);
    assert.ok(Number.isInteger(window.min) && window.min >= 0 && window.max <= 99);
  }
  assert.deepEqual(window, { min: 0, max: 99 });
});

test('panning keeps the width and stops at the ends', () => {
  assert.deepEqual(panWindow({ min: 10, max: 19 }, 5.4, limits), { min: 15, max: 24 });
  assert.deepEqual(panWindow({ min: 10, max: 19 }, -400, limits), { min: 0, max: 9 });
  assert.deepEqual(panWindow({ min: 10, max: 19 }, 400, limits), { min: 90, max: 99 });
});

test('a drag takes the columns between its ends in either direction, at least the least width', () => {
  assert.deepEqual(dragWindow(20, 30, limits), { min: 20, max: 30 });
  assert.deepEqual(dragWindow(30, 20, limits), { min: 20, max: 30 });
  assert.deepEqual(dragWindow(99, 99, limits), { min: 98, max: 99 });
  assert.deepEqual(dragWindow(0, 0, { min: 0, max: 0, least: 2 }), { min: 0, max: 0 });
});

test('loaded columns of a longer selection may be left on both sides', () => {
  const loaded = hours(10, 20, 100);
  assert.deepEqual(timeLimits(loaded), { min: -10, max: 89, least: 2 });
  assert.equal(isWhole({ min: -10, max: 89 }, timeLimits(loaded)), true);
  assert.deepEqual(spanOfWindow(loaded, { min: -10, max: 89 }), { from: 0, to: 100 * HOUR });
  assert.deepEqual(spanOfWindow(loaded, { min: -3, max: 21 }), { from: 7 * HOUR, to: 32 * HOUR });
  assert.deepEqual(spanOfWindow(loaded, { min: 2, max: 3 }), { from: 12 * HOUR, to: 14 * HOUR });
});

test('merged columns may be opened one by one', () => {
  assert.equal(timeLimits(hours(0, 20, 20, 4)).least, 1);
});

test('without columns there are no limits', () => {
  assert.deepEqual(timeLimits({ ...hours(0, 0, 0), full: undefined }), { min: 0, max: 0, least: 2 });
});

test('a stretch of time finds its columns again, also after others were loaded', () => {
  const all = hours(0, 100, 100);
  const span = spanOfWindow(all, { min: 30, max: 39 });
  assert.deepEqual(windowOfSpan(all, span), { min: 30, max: 39 });
  assert.deepEqual(windowOfSpan(hours(30, 10, 100), span), { min: 0, max: 9 });
  assert.deepEqual(windowOfSpan(hours(35, 30, 100), span), { min: 0, max: 4 });
  assert.equal(windowOfSpan(hours(50, 10, 100), span), undefined);
  assert.equal(windowOfSpan(hours(0, 0, 0), span), undefined);
});

test('single events, whose instants have no width, are found again as well', () => {
  const at = Float64Array.from([1000, 2000, 2000, 5000]);
  const events = {
    starts: at,
    ends: Float64Array.from([2000, 2000, 5000, 5000]),
    length: 4,
    granularity: 'event' as const,
  };
  for (const full of [undefined, { from: 1000, to: 5000 }])
    for (const window of [
      { min: 0, max: 3 },
      { min: 0, max: 0 },
      { min: 3, max: 3 },
    ]) {
      assert.deepEqual(windowOfSpan(events, spanOfWindow({ ...events, full }, window)), window);
    }
  assert.deepEqual(spanOfWindow({ ...events, full: undefined }, { min: 1, max: 1 }), { from: 2000, to: 2001 });
});

function timeZoom() {
  const asked: unknown[] = [];
  const timers: (() => void)[] = [];
  const clock = {
    now: () => 0,
    after: (_: number, action: () => void) => {
      timers.push(action);
      return () => timers.splice(timers.indexOf(action), 1);
    },
    every: () => () => {},
  };
  const zoom = new TimeZoom(
    clock,
    () => {},
    (span) => asked.push(span),
  );
  const pass = () => {
    for (const action of timers.splice(0)) action();
  };
  return { zoom, asked, pass };
}

test('a zoom sends one request for a burst of moves, for whole columns with both ends included', () => {
  const { zoom, asked, pass } = timeZoom();
  zoom.update(sampleBuckets(), undefined);
  const [start = 0] = sampleBuckets().starts;
  zoom.move({ min: 0, max: 2 });
  zoom.move({ min: 1, max: 2 });
  assert.deepEqual([zoom.isZoomed, asked.length], [true, 0]);
  pass();
  assert.deepEqual(asked, [{ from: start + HOUR, to: start + 3 * HOUR - 1 }]);
  zoom.reset();
  pass();
  assert.equal(asked.at(-1), undefined);
  assert.equal(zoom.isZoomed, false);
});

test('a zoom survives a refresh while its buckets are there, and is given up when they are gone', () => {
  const { zoom, asked, pass } = timeZoom();
  const buckets = sampleBuckets();
  const [start = 0] = buckets.starts;
  const wanted = { from: start + HOUR, to: start + 3 * HOUR - 1 };
  zoom.update(buckets, wanted);
  assert.deepEqual(zoom.window, { min: 1, max: 2 });
  zoom.update(buckets, wanted);
  pass();
  assert.deepEqual([zoom.isZoomed, asked.length], [true, 0]);
  zoom.update(buckets, { from: 0, to: 1 });
  assert.deepEqual(zoom.window, { min: 0, max: 3 });
  pass();
  assert.deepEqual(asked, [undefined]);
});

test('a move under way is newer than the view that arrives', () => {
  const { zoom, asked, pass } = timeZoom();
  zoom.update(sampleBuckets(), undefined);
  zoom.move({ min: 2, max: 3 });
  zoom.update(sampleBuckets(), undefined);
  assert.deepEqual(zoom.window, { min: 2, max: 3 });
  pass();
  assert.equal(asked.length, 1);
});

test('the columns under two fingers stay under them, and no finger leads beyond the selection', () => {
  const limits = { min: 0, max: 99, least: 2 };
  const window = { min: 20, max: 59 };
  assert.deepEqual(pinchWindow(window, 0.5, 0.5, 0.5, limits), { min: 30, max: 49 });
  assert.deepEqual(pinchWindow(window, 0.5, 0.25, 0.25, limits), { min: 25, max: 44 });
  assert.deepEqual(pinchWindow(window, 1, 0.5, 0.75, limits), { min: 10, max: 49 }, 'side by side they pan');
  assert.deepEqual(pinchWindow(window, 1, 0.5, 0.5, limits), window, 'and at rest they do nothing');
  assert.deepEqual(pinchWindow(window, 1, 0, 1, limits), { min: 0, max: 39 });
  assert.deepEqual(pinchWindow(window, 9, 0.5, 0.5, limits), { min: 0, max: 99 });
  assert.deepEqual(widthOf(pinchWindow(window, 0.001, 0.5, 0.5, limits)), 2);
});

test('a window that lies beyond the loaded columns with both ends spans as many columns there', () => {
  const loaded = hours(30, 10, 100);
  assert.deepEqual(spanOfWindow(loaded, { min: -20, max: -11 }), { from: 10 * HOUR, to: 20 * HOUR });
  assert.deepEqual(spanOfWindow(loaded, { min: -10, max: -1 }), { from: 20 * HOUR, to: 30 * HOUR });
  assert.deepEqual(spanOfWindow(loaded, { min: 10, max: 19 }), { from: 40 * HOUR, to: 50 * HOUR });
  assert.deepEqual(spanOfWindow(loaded, { min: 60, max: 69 }), { from: 90 * HOUR, to: 100 * HOUR });
});
