import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { PostedAlert } from '../domain/alert.ts';
import { readArraySlices } from './array-slices.ts';
import { readJson, unreadable } from './body.ts';
import { readPostableAlert } from './postable.ts';

/** Some alerts of a post that follow one another, each as far as it could be read. */
export type PostedSlice = readonly Outcome<PostedAlert>[];

/** A body of up to this size is parsed at once, which takes a few milliseconds. */
const WHOLE_BODY_BYTES = 1024 * 1024;
const SLICE_BYTES = 256 * 1024;
/** More than Prometheus sends at once. */
const SLICE_ALERTS = 1_000;

/**
 * Reads the body of a POST of alerts; each time it yields, the caller may do something else before it goes on. Refused is
 * only a body that is no JSON array: what is wrong with a single alert stands in its place.
 */
export function* readPostedAlerts(bytes: Buffer): Generator<undefined, Outcome<readonly PostedSlice[]>> {
  const slices: PostedSlice[] = [];
  let index = 0;
  for (const elements of bytes.length > WHOLE_BODY_BYTES ? readArraySlices(bytes, SLICE_BYTES) : [undefined]) {
    // Read as a whole, what is no array says why, and where; what is one after all has failed before its first slice.
    const read = elements ? accepted(elements) : readWhole(bytes);
    if (!read.ok) return read;
    for (let at = 0; at < read.value.length; at += SLICE_ALERTS) {
      if (slices.length > 0) yield;
      slices.push(read.value.slice(at, at + SLICE_ALERTS).map((element) => readPostableAlert(element, index++)));
    }
  }
  return accepted(slices);
}

function readWhole(bytes: Buffer): Outcome<readonly unknown[]> {
  const body = readJson(bytes, 'alerts');
  if (!body.ok) return body;
  if (Array.isArray(body.value)) return accepted(body.value as readonly unknown[]);
  return refused(unreadable('alerts', 'the body must be an array of alerts'));
}
