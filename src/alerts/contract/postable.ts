import * as v from 'valibot';
import type { PostedAlert } from '../domain/alert.ts';
import { accepted, type Outcome, refused } from '../domain/outcome.ts';
import type { PostedSilence } from '../domain/silence.ts';
import { type BodyName, missing, unreadable } from './body.ts';
import { readInstant } from './instant.ts';
import { isRequestUri } from './request-uri.ts';

const text = (message = 'must be a string') => v.pipe(v.string(message), v.transform(toWellFormed));

/** A lone surrogate has no UTF-8 form: like Go, put the replacement character in its place. */
function toWellFormed(value: string): string {
  return value.isWellFormed() ? value : value.toWellFormed();
}

/** Not v.record: that drops a label named `constructor`. */
const labels = v.custom<Record<string, string>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((item) => typeof item === 'string'),
  'must be an object whose values are strings',
);

const instant = v.pipe(
  v.string('must be a date-time string'),
  v.rawTransform<string, number | undefined>(({ dataset, addIssue, NEVER }) => {
    const read = readInstant(dataset.value);
    if (read.ok) return read.at;
    addIssue({
      message: `must be a date-time such as 2006-01-02T15:04:05Z, not ${JSON.stringify(dataset.value.slice(0, 100))}`,
    });
    return NEVER;
  }),
);

const postableAlert = v.object(
  {
    labels: v.nullish(labels),
    annotations: v.nullish(labels),
    startsAt: v.nullish(instant),
    endsAt: v.nullish(instant),
    generatorURL: v.nullish(text(), ''),
  },
  'must be an object',
);

const flag = v.nullish(v.boolean('must be true or false'), true);
const postableMatcher = v.object(
  { isRegex: flag, name: v.nullish(text(), ''), value: v.nullish(text(), ''), isEqual: flag },
  'must be an object',
);

const postableSilence = v.object(
  {
    id: v.nullish(text(), ''),
    matchers: v.nullish(v.array(postableMatcher, 'must be an array'), []),
    startsAt: v.nullish(instant),
    endsAt: v.nullish(instant),
    createdBy: v.nullish(text(), ''),
    comment: v.nullish(text(), ''),
    annotations: v.nullish(labels),
  },
  'must be an object',
);

/** Reads one element of a posted array of alerts; `index` names it in a refusal. */
export function readPostableAlert(input: unknown, index: number): Outcome<PostedAlert> {
  const parsed = v.safeParse(postableAlert, input, { abortEarly: true });
  if (!parsed.success) return refused(explain('alerts', parsed.issues, String(index)));
  const { labels, annotations, generatorURL, startsAt, endsAt } = parsed.output;
  if (!labels) return refused(missing(`${index}.labels`));
  if (!isRequestUri(generatorURL))
    return refused(`${index}.generatorURL in body must be of type uri: ${JSON.stringify(generatorURL)}`);
  return accepted({
    labels: wellFormedLabels(labels),
    annotations: wellFormedLabels(annotations ?? {}),
    generatorURL,
    startsAt: startsAt ?? undefined,
    endsAt: endsAt ?? undefined,
  });
}

/** Reads a posted silence; missing fields are named in upstream's order. */
export function readPostableSilence(input: unknown): Outcome<PostedSilence> {
  const parsed = v.safeParse(postableSilence, input, { abortEarly: true });
  if (!parsed.success) return refused(explain('silence', parsed.issues));
  const raw = input as Record<string, unknown>;
  const absent = findAbsent(raw, ['comment', 'createdBy', 'endsAt', 'matchers', 'startsAt']);
  if (absent) return refused(missing(absent));
  if (parsed.output.matchers.length === 0) return refused('matchers in body should have at least 1 items');
  for (const [index, matcher] of (raw.matchers as Record<string, unknown>[]).entries()) {
    const field = findAbsent(matcher, ['isRegex', 'name', 'value']);
    if (field) return refused(missing(`matchers.${index}.${field}`));
  }
  const { annotations, startsAt, endsAt, ...rest } = parsed.output;
  return accepted({
    ...rest,
    annotations: wellFormedLabels(annotations ?? {}),
    startsAt: startsAt ?? undefined,
    endsAt: endsAt ?? undefined,
  });
}

function findAbsent(raw: Record<string, unknown>, fields: readonly string[]): string | undefined {
  return fields.find((field) => raw[field] === undefined || raw[field] === null);
}

function explain(name: BodyName, [issue]: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]], prefix?: string): string {
  const path = [prefix, v.getDotPath(issue)].filter((part) => part !== undefined && part !== null).join('.');
  return unreadable(name, `${path || name} ${issue.message}`);
}

function wellFormedLabels(record: Record<string, string>): Record<string, string> {
  const values = Object.values(record);
  if (values.every((value) => value.isWellFormed())) return record;
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, toWellFormed(value)]));
}
