import type { PlainRequest } from '../../testing/http/client.ts';
import type { Random } from '../../testing/random.ts';
import {
  BAD_ALERTS,
  BAD_BODIES,
  BAD_MATCHERS,
  BOOLEANS,
  BROKEN_FILTERS,
  FUTURE,
  GOOD_FILTERS,
  JSON_TYPE,
  MANNERS,
  type Matcher,
  ODD_FILTERS,
  ODD_SILENCE_IDS,
  PAST,
  SHAPELESS_ALERTS,
  UNKNOWN_SILENCE_ID,
  VALUES,
} from './samples.ts';

/**
 * One request of a script. In its path and body `{{id:3}}` stands for the id that the fourth posted silence got (an
 * unknown id if it was refused), `{{startsAt:3}}` for the start that the server now gives for it.
 */
export interface Step extends PlainRequest {
  readonly kind: string;
}

/** Label sets whose members meet often enough to merge, to be silenced together and to share a group. */
function randomLabels(random: Random): Record<string, string> {
  const names = random.some([...VALUES.keys()].slice(1), 3);
  if (random.chance(0.95)) names.push('alertname');
  return Object.fromEntries(names.map((name) => [name, random.pick(VALUES.get(name) ?? [])]));
}

function randomAlert(random: Random): Record<string, unknown> {
  const alert: Record<string, unknown> = { labels: randomLabels(random) };
  if (random.chance(0.5)) alert.annotations = { summary: random.pick(VALUES.get('msg') ?? []), empty: '' };
  if (random.chance(0.3))
    alert.generatorURL = random.pick(['http://prom.example/g?a=b#c', '/graph', '', 'https://ü.example/é']);
  if (random.chance(0.5)) alert.startsAt = random.pick([...PAST, ...FUTURE.slice(0, 2), null]);
  if (random.chance(0.5)) alert.endsAt = random.pick([...PAST.slice(0, 2), ...FUTURE, null]);
  return alert;
}

function postAlerts(random: Random): Step {
  const alerts: unknown[] = Array.from({ length: random.int(0, 5) }, () => randomAlert(random));
  if (random.chance(0.25)) alerts.splice(random.int(0, alerts.length), 0, random.pick(BAD_ALERTS)(random));
  const body = random.weighted([
    [16, () => JSON.stringify(alerts)],
    [1, () => random.pick(BAD_BODIES)],
    // Alone: newer versions may take what stands beside it.
    [2, () => JSON.stringify([random.pick(SHAPELESS_ALERTS)])],
  ])();
  return { kind: 'alerts post', method: 'POST', path: '/api/v2/alerts', headers: JSON_TYPE, body };
}

function randomMatcher(random: Random): Matcher {
  const name = random.pick([...VALUES.keys()]);
  const isRegex = random.chance(0.4);
  const value = isRegex
    ? random.pick(['.*', '.+', 'eu|us', 'Disk.*', '[0-9]+', '(?i)CRITICAL', '', '\\d', 'é+', '(?s).*lines'])
    : random.pick([...(VALUES.get(name) ?? []), 'other']);
  const matcher: Matcher = { name, value, isRegex };
  if (random.chance(0.5)) matcher.isEqual = random.pick([true, true, false, null]);
  return matcher;
}

interface PostedSilence {
  id?: unknown;
  matchers?: unknown;
  startsAt?: unknown;
  endsAt?: unknown;
  createdBy?: unknown;
  comment?: unknown;
}

/** Ends differ by a second from silence to silence: two of one instant would be listed in no certain order. */
function randomSilence(random: Random, ordinal: number): PostedSilence {
  const pending = random.chance(0.3);
  const second = new Date(Date.UTC(2095, 0, 1, 0, 0, ordinal)).toISOString();
  return {
    matchers: Array.from({ length: random.int(1, 3) }, () => randomMatcher(random)),
    startsAt: pending ? second.replace('2095', '2089') : random.pick(PAST),
    endsAt: second,
    createdBy: random.pick(['ann', 'bob', '']),
    comment: random.pick(['works', '', 'été 😀']),
  };
}

const REQUIRED = ['matchers', 'startsAt', 'endsAt', 'createdBy', 'comment'] as const;

/** Mistakes in a silence that are found before the lookup of its id. */
const spoilShape = (random: Random): PostedSilence =>
  random.pick<() => PostedSilence>([
    () => ({ [random.pick(REQUIRED)]: undefined }),
    () => ({ [random.pick(REQUIRED)]: null }),
    () => ({ [random.pick(REQUIRED)]: random.pick([7, {}, true]) }),
    () => ({ [random.pick(['startsAt', 'endsAt'])]: 'soon' }),
    () => ({ matchers: [] }),
    () => ({ endsAt: random.pick(PAST), startsAt: '2001-01-01T00:00:00Z' }),
    () => ({ endsAt: '2089-01-01T00:00:00Z', startsAt: '2090-01-01T00:00:00Z' }),
    () => ({ id: UNKNOWN_SILENCE_ID }),
    () => ({ id: 'no-uuid' }),
  ])();

/** Mistakes that are found last: by then 0.25 has expired the silence to be replaced. */
const spoilMatchers = (random: Random): PostedSilence =>
  random.pick<() => PostedSilence>([
    () => ({ matchers: [randomMatcher(random), random.pick(BAD_MATCHERS)] }),
    () => ({ matchers: [{ name: 'cluster', value: '', isRegex: false }] }),
    () => ({ matchers: [{ name: 'cluster', value: 'x*', isRegex: true }] }),
  ])();

const query = (pairs: readonly (readonly [string, string])[]) =>
  pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;

/** Writes a script of requests; the same seed writes the same one. */
export class AlertScript {
  readonly #random: Random;
  /** Every silence that was posted, valid or not; its place is its number in `{{id:…}}`. */
  readonly #silences: PostedSilence[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Step {
    return this.#random.weighted<() => Step>([
      [30, () => postAlerts(this.#random)],
      [16, () => this.#postSilence()],
      [8, () => this.#updateSilence()],
      [6, () => this.#silenceById('DELETE', 0.2)],
      [6, () => this.#silenceById('GET', 0.2)],
      [10, () => this.#list('silences list', '/api/v2/silences', [])],
      [25, () => this.#list('alerts list', '/api/v2/alerts', ['active', 'silenced', 'inhibited', 'unprocessed'])],
      [18, () => this.#list('groups list', '/api/v2/alerts/groups', ['active', 'silenced', 'inhibited'])],
      [6, () => ({ kind: 'manners', ...this.#random.pick(MANNERS) })],
    ])();
  }

  #silenceStep(silence: PostedSilence): Step {
    this.#silences.push(silence);
    const body = JSON.stringify(silence);
    return { kind: 'silence post', method: 'POST', path: '/api/v2/silences', headers: JSON_TYPE, body };
  }

  #postSilence(): Step {
    const silence = randomSilence(this.#random, this.#silences.length);
    const spoiled = this.#random.weighted<() => PostedSilence>([
      [8, () => ({})],
      [1, () => spoilShape(this.#random)],
      [1, () => spoilMatchers(this.#random)],
    ])();
    return this.#silenceStep({ ...silence, ...spoiled });
  }

  /** Posts a known silence again with its id, changed in what may change in place, in what may not, or not at all. */
  #updateSilence(): Step {
    if (this.#silences.length === 0) return this.#postSilence();
    const number = this.#random.int(0, this.#silences.length - 1);
    const fresh = randomSilence(this.#random, this.#silences.length);
    const update = { ...this.#silences[number], id: `{{id:${number}}}`, endsAt: fresh.endsAt };
    if (this.#random.chance(0.7)) update.startsAt = `{{startsAt:${number}}}`;
    if (this.#random.chance(0.5)) update.comment = 'changed';
    if (this.#random.chance(0.3))
      update.matchers = [{ name: 'team', value: 'db', isRegex: false }, randomMatcher(this.#random)];
    return this.#silenceStep(this.#random.chance(0.1) ? { ...update, ...spoilShape(this.#random) } : update);
  }

  #silenceById(method: 'GET' | 'DELETE', odd: number): Step {
    const known = this.#silences.length > 0 && !this.#random.chance(odd);
    const id = known ? `{{id:${this.#random.int(0, this.#silences.length - 1)}}}` : this.#random.pick(ODD_SILENCE_IDS);
    return { kind: `silence ${method.toLowerCase()}`, method, path: `/api/v2/silence/${id}` };
  }

  #list(kind: string, path: string, flags: readonly string[]): Step {
    const random = this.#random;
    const pairs: [string, string][] = [];
    for (const flag of random.some(flags, 2)) pairs.push([flag, random.pick(BOOLEANS)]);
    if (flags.length > 0 && random.chance(0.1)) pairs.push([random.pick(flags), random.pick(BOOLEANS)]);
    if (random.chance(0.5)) {
      const filters = random.weighted([
        [6, GOOD_FILTERS],
        [2, ODD_FILTERS],
        [2, BROKEN_FILTERS],
      ]);
      for (let left = random.int(1, 2); left > 0; left--)
        pairs.push(['filter', random.pick(left > 1 ? GOOD_FILTERS : filters)]);
    }
    if (flags.length > 0 && random.chance(0.2)) {
      pairs.push([
        'receiver',
        random.pick(['default', 'def.*', 'fault', '', '.*', '(', 'a|default', 'DEFAULT', '(?i)DEFAULT']),
      ]);
    }
    return { kind, method: 'GET', path: path + query(pairs) };
  }
}
