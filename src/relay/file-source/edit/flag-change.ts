import { isDeepStrictEqual } from 'node:util';
import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { isJsonObject, type Json } from '../../domain/json.ts';
import type { Edit } from './document-edit.ts';

/** The edits of a file that set a flag, with a description. */
export interface FlagChange {
  readonly edits: readonly Edit[];
  readonly before: string;
  readonly after: string;
  readonly remark?: string;
}

/**
 * Plans the edits of a file that turn a flag `on` or `off`, or change its default value. Undefined if the file does not have
 * the flag.
 */
export function planChange(root: Json, key: string, wanted: string): Outcome<FlagChange> | undefined {
  if (!isJsonObject(root)) return undefined;
  const { flags, flagValues } = root;
  if (isJsonObject(flagValues) && Object.hasOwn(flagValues, key))
    return planValue(['flagValues', key], flagValues[key] ?? null, wanted);
  const flag = isJsonObject(flags) && Object.hasOwn(flags, key) ? flags[key] : undefined;
  return isJsonObject(flag) ? planFlag(['flags', key], flag, wanted) : undefined;
}

/** The same for a switch, which a flag in the short form does not have. */
export function planSwitch(root: Json, key: string, isOn: boolean): Outcome<FlagChange> | undefined {
  const isValue = isJsonObject(root) && isJsonObject(root.flagValues) && Object.hasOwn(root.flagValues, key);
  if (isValue)
    return refused('it is only a value (flagValues), without a switch; `opsdeck relay set` changes the value');
  return planChange(root, key, isOn ? 'on' : 'off');
}

const json = (value: unknown): string => JSON.stringify(value);

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The short form: the new value must have the type of the old one, as callers expect it. */
function planValue(path: readonly string[], before: Json, wanted: string): Outcome<FlagChange> {
  const after = valueLike(before, wanted);
  if (after === undefined) {
    const type = Array.isArray(before) ? 'an array' : before === null ? 'null' : `a ${typeof before}`;
    return refused(`its value ${json(before)} is ${type}, which ${json(wanted)} is not`);
  }
  return accepted({ edits: [{ path, value: after }], before: json(before), after: json(after) });
}

function valueLike(before: Json, wanted: string): Json | undefined {
  const parsed = parse(wanted);
  if (typeof before === 'string') return typeof parsed === 'string' ? parsed : wanted;
  if (typeof before === 'boolean' && (wanted === 'on' || wanted === 'off')) return wanted === 'on';
  if (before === null) return parsed === undefined ? wanted : parsed;
  if (parsed === undefined || parsed === null || typeof parsed !== typeof before) return undefined;
  return Array.isArray(parsed) === Array.isArray(before) ? parsed : undefined;
}

function planFlag(
  path: readonly string[],
  flag: { readonly [name: string]: Json },
  wanted: string,
): Outcome<FlagChange> {
  const isOn = flag.on === true;
  if (wanted === 'on' || wanted === 'off') {
    const edits = isOn === (wanted === 'on') ? [] : [{ path: [...path, 'on'], value: wanted === 'on' }];
    return accepted({ edits, before: isOn ? 'on' : 'off', after: wanted });
  }
  const variations = Array.isArray(flag.variations) ? (flag.variations as readonly Json[]) : [];
  const parsed = parse(wanted);
  const index = variations.findIndex(
    (one) => one === wanted || (parsed !== undefined && isDeepStrictEqual(one, parsed)),
  );
  if (index < 0) {
    const known = variations.map(json).join(', ') || 'none';
    return refused(`it has no variation ${json(wanted)}; write on, off or one of: ${known}`);
  }
  const { fallthrough } = flag;
  const served = isJsonObject(fallthrough) ? fallthrough.variation : undefined;
  const isSingle = isJsonObject(fallthrough) && typeof served === 'number' && Object.keys(fallthrough).length === 1;
  const edits: Edit[] = [];
  if (isSingle && served !== index) edits.push({ path: [...path, 'fallthrough', 'variation'], value: index });
  else if (!isSingle) edits.push({ path: [...path, 'fallthrough'], value: { variation: index } });
  if (!isOn) edits.push({ path: [...path, 'on'], value: true });
  const shown = isSingle ? json(variations[served as number] ?? null) : 'a rollout';
  const remark = remarkOn(flag);
  return accepted({
    edits,
    before: isOn ? shown : 'off',
    after: json(variations[index]),
    ...(remark === undefined ? {} : { remark }),
  });
}

function remarkOn(flag: { readonly [name: string]: Json }): string | undefined {
  const count = (name: string, noun: string) => {
    const list = flag[name];
    const length = Array.isArray(list) ? list.length : 0;
    return length === 0 ? [] : [`${length} ${noun}${length === 1 ? '' : 's'}`];
  };
  const first = [
    ...count('prerequisites', 'prerequisite'),
    ...count('targets', 'target'),
    ...count('contextTargets', 'context target'),
    ...count('rules', 'rule'),
  ];
  return first.length === 0 ? undefined : `evaluated first: ${first.join(', ')}`;
}
