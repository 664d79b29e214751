import { type Outcome, refused } from '../../kernel/outcome.ts';
import { type JsonFields, readObject } from '../domain/json-fields.ts';
import type { BigSegmentPatch, ListChanges } from './store.ts';

const NO_CHANGES: ListChanges = { add: [], remove: [] };

/** Reads patches as LaunchDarkly sends them: a JSON array. A refusal quotes no data. */
export function readPatches(text: string): Outcome<readonly BigSegmentPatch[]> {
  let patches: unknown;
  try {
    patches = JSON.parse(text);
  } catch {
    return refused('the patches of big segments are not JSON');
  }
  if (!Array.isArray(patches)) return refused('the patches of big segments are not an array');
  return readObject({ patches }, (fields) => fields.list('patches', readPatch));
}

function readPatch(fields: JsonFields): BigSegmentPatch {
  const changes = fields.object('changes', (lists) => ({
    included: lists.object('included', readChanges),
    excluded: lists.object('excluded', readChanges),
  }));
  return {
    segmentId: fields.text('segmentId'),
    version: fields.text('version'),
    previousVersion: fields.text('previousVersion'),
    included: changes?.included ?? NO_CHANGES,
    excluded: changes?.excluded ?? NO_CHANGES,
  };
}

function readChanges(fields: JsonFields): ListChanges {
  return { add: fields.texts('add'), remove: fields.texts('remove') };
}
