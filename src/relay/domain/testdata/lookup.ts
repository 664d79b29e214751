import assert from 'node:assert/strict';
import type { Outcome } from '../../../kernel/outcome.ts';
import { type CompiledFlag, compileFlag } from '../compile.ts';
import type { Context } from '../context/context.ts';
import { readContext } from '../context/json.ts';
import type { FlagLookup } from '../evaluation/scope.ts';
import { readFlag } from '../flag.ts';
import { readSegment } from '../segment.ts';
import { type CompiledSegment, compileSegment } from '../segment-match.ts';

/** The value of an accepted outcome; fails for a refusal. */
export function accept<T>(outcome: Outcome<T>): T {
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.reason);
  return outcome.value;
}

export const flagOf = (json: object): CompiledFlag => compileFlag(accept(readFlag(json)));
export const segmentOf = (json: object): CompiledSegment => compileSegment(accept(readSegment(json)));
export const contextFrom = (json: object): Context => accept(readContext(json));

/** A lookup of these items, without deleted ones. */
export function lookupOf(flags: readonly CompiledFlag[], segments: readonly CompiledSegment[] = []): FlagLookup {
  const byKey = new Map(flags.filter(({ flag }) => !flag.deleted).map((compiled) => [compiled.flag.key, compiled]));
  const segmentsByKey = new Map(segments.map((compiled) => [compiled.segment.key, compiled]));
  return { flag: (key) => byKey.get(key), segment: (key) => segmentsByKey.get(key) };
}
