import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { PostedAlert } from '../domain/alert.ts';
import { readArraySlices } from './array-slices.ts';
import { readJson, unreadable } from './body.ts';
import { readPostableAlert } from './postable.ts';

/** Consecutive alerts of a post, each read or refused. */
export type PostedSlice = readonly Outcome<PostedAlert>[];

/** Bodies up to this size are parsed at once, which takes a few milliseconds. */
const WHOLE_BODY_BYTES = 1024 * 1024;
const SLICE_BYTES = 256 * 1024;
/** Alerts per slice; more than Prometheus sends at once. */
const SLICE_ALERTS = 1_000;

/**
 * Reads the body of a POST of alerts in slices, so that the caller can do other work in between. Only a body that is not a
 * JSON array is refused as a whole; a bad alert is a refusal in its place.
 */
export function* readPostedAlerts(bytes: Buffer): Generator<undefined, Outcome<readonly PostedSlice[]>> {
  const slices: PostedSlice[] = [];
  let index = 0;
  for (const elements of bytes.length > WHOLE_BODY_BYTES ? readArraySlices(bytes, SLICE_BYTES) : [undefined]) {
    // Parsing the whole body gives the reason and position of the error.
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
