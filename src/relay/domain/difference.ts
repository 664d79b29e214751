import { isJsonObject, type Json } from './json.ts';

/** A difference of two JSON documents: at least one side has a value. */
export interface Difference {
  /** Such as `rules[0].clauses[1].op`; empty for the whole document. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** The places in which two documents differ, the smallest that have a name or index; the first `max` of them. */
export function findDifferences(before: Json | undefined, after: Json | undefined, max: number): readonly Difference[] {
  const found: Difference[] = [];
  compare('', before, after, found, max);
  return found;
}

function compare(path: string, before: Json | undefined, after: Json | undefined, found: Difference[], max: number) {
  if (found.length >= max || before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) compareLists(path, before, after, found, max);
  else if (isJsonObject(before) && isJsonObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const inner = path === '' ? name : `${path}.${name}`;
      compare(inner, ownOf(before, name), ownOf(after, name), found, max);
    }
  } else
    found.push({
      path,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    });
}

function ownOf(object: { readonly [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Of lists of different lengths, the elements that both begin or end with are the same ones. */
function compareLists(path: string, before: readonly Json[], after: readonly Json[], found: Difference[], max: number) {
  const texts = [before, after].map((list) => list.map((one) => JSON.stringify(one)));
  const [old = [], now = []] = texts;
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  const shorter = Math.min(old.length, now.length) - start;
  while (end < shorter && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const rest = Math.max(old.length, now.length) - end;
  for (let index = start; index < rest && found.length < max; index++) {
    const of = (list: readonly Json[]) => (index < list.length - end ? list[index] : undefined);
    compare(`${path}[${index}]`, of(before), of(after), found, max);
  }
}
