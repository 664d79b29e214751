import * as v from 'valibot';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { PostedAlert } from '../domain/alert.ts';
import type { PostedSilence } from '../domain/silence.ts';
import { type BodyName, missing, unreadable } from './body.ts';
import { readInstant } from './instant.ts';
import { readRequestUri } from './request-uri.ts';
import type * as wire from './wire.ts';

const text = (message = 'must be a string') => v.pipe(v.string(message), v.transform(toWellFormed));

/** A lone surrogate has no UTF-8 form: replaced as in Go. */
function toWellFormed(value: string): string {
  return value.isWellFormed() ? value : value.toWellFormed();
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** v.object alone accepts an array. */
const object = <T extends v.ObjectEntries>(entries: T) =>
  v.pipe(v.custom<object>(isObject, 'must be an object'), v.object(entries));

/** As posted; Go reads null as an empty text. */
type PostedLabels = Readonly<Record<string, string | null>>;

/** v.record would drop a label named `constructor`. */
const labels = v.custom<PostedLabels>(
  (value) =>
    isObject(value) &&
    Object.values(value as object).every((item: unknown) => typeof item === 'string' || item === null),
  'must be an object whose values are strings',
);

const instant = v.pipe(
  v.string('must be a date-time string'),
  v.rawTransform<string, number | undefined>(({ dataset, addIssue, NEVER }) => {
    const read = readInstant(dataset.value);
    if (read.ok) return read.value;
    addIssue({
      message: `must be a date-time such as 2006-01-02T15:04:05Z, not ${JSON.stringify(dataset.value.slice(0, 100))}`,
    });
    return NEVER;
  }),
);

/** A schema for every field of a wire type, and for no other. */
type FieldsOf<T> = Record<keyof Required<T>, v.GenericSchema>;

const postableAlert = object({
  labels: v.nullish(labels),
  annotations: v.nullish(labels),
  startsAt: v.nullish(instant),
  endsAt: v.nullish(instant),
  generatorURL: v.nullish(text(), ''),
} satisfies FieldsOf<wire.PostableAlert>);

const flag = v.nullish(v.boolean('must be true or false'), true);
const postableMatcher = object({
  isRegex: flag,
  name: v.nullish(text(), ''),
  value: v.nullish(text(), ''),
  isEqual: flag,
} satisfies FieldsOf<wire.Matcher>);

const postableSilence = object({
  id: v.nullish(text(), ''),
  matchers: v.nullish(v.array(postableMatcher, 'must be an array'), []),
  startsAt: v.nullish(instant),
  endsAt: v.nullish(instant),
  createdBy: v.nullish(text(), ''),
  comment: v.nullish(text(), ''),
  annotations: v.nullish(labels),
} satisfies FieldsOf<wire.PostableSilence>);

/** Reads one element of a posted array of alerts; `index` names it in a refusal. */
export function readPostableAlert(input: unknown, index: number): Outcome<PostedAlert> {
  const parsed = v.safeParse(postableAlert, input, { abortEarly: true });
  if (!parsed.success) return refused(explain('alerts', parsed.issues, String(index)));
  const { labels, annotations, generatorURL, startsAt, endsAt } = parsed.output;
  const uri = readRequestUri(generatorURL);
  if (uri === undefined)
    return refused(`${index}.generatorURL in body must be of type uri: ${JSON.stringify(generatorURL)}`);
  if (!labels) return refused(missing(`${index}.labels`));
  return accepted({
    labels: wellFormedLabels(labels),
    annotations: wellFormedLabels(annotations ?? {}),
    generatorURL: uri,
    startsAt: startsAt ?? undefined,
    endsAt: endsAt ?? undefined,
  });
}

/** Reads a posted silence; missing fields are named in upstream's order. */
export function readPostableSilence(input: unknown): Outcome<PostedSilence> {
  const parsed = v.safeParse(postableSilence, input, { abortEarly: true });
  if (!parsed.success) return refused(explain('silence', parsed.issues));
  const fault = findSilenceFault(input as Record<string, unknown>);
  if (fault) return refused(fault);
  const { annotations, startsAt, endsAt, ...rest } = parsed.output;
  return accepted({
    ...rest,
    annotations: wellFormedLabels(annotations ?? {}),
    startsAt: startsAt ?? undefined,
    endsAt: endsAt ?? undefined,
  });
}

function findSilenceFault(raw: Record<string, unknown>): string | undefined {
  const absent = findAbsent(raw, ['comment', 'createdBy', 'endsAt', 'matchers']);
  if (absent) return missing(absent);
  const matchers = raw.matchers as Record<string, unknown>[];
  if (matchers.length === 0) return 'matchers in body should have at least 1 items';
  for (const [index, matcher] of matchers.entries()) {
    const field = findAbsent(matcher, ['isRegex', 'name', 'value']);
    if (field) return missing(`matchers.${index}.${field}`);
  }
  return findAbsent(raw, ['startsAt']) && missing('startsAt');
}

function findAbsent(raw: Record<string, unknown>, fields: readonly string[]): string | undefined {
  return fields.find((field) => raw[field] === undefined || raw[field] === null);
}

function explain(name: BodyName, [issue]: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]], prefix?: string): string {
  const path = [prefix, v.getDotPath(issue)].filter((part) => part !== undefined && part !== null).join('.');
  return unreadable(name, `${path || name} ${issue.message}`);
}

function wellFormedLabels(record: PostedLabels): Record<string, string> {
  const names = Object.keys(record);
  if (names.every((name) => name.isWellFormed() && record[name]?.isWellFormed()))
    return record as Record<string, string>;
  return Object.fromEntries(names.map((name) => [toWellFormed(name), toWellFormed(record[name] ?? '')]));
}
