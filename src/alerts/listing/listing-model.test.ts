import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLongRound } from '../../testing/long-round.ts';
import { Random } from '../../testing/random.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';

// Asks the server for alerts and groups by random parameters, and compares with a model that remembers nothing.

const CONFIG = `
route:
  receiver: default
  group_by: [kind, "été 😀"]
  routes:
    - {receiver: db, matchers: ['job="db"'], group_by: [zone], continue: true}
    - {receiver: night, matchers: ['zone="a"'], group_by: ['...']}
    - {receiver: db, matchers: ['kind=~"Down|Slow"', 'job!=""'], group_by: [kind, job]}
inhibit_rules:
  - {source_matchers: ['kind="Down"'], target_matchers: ['job="db"'], equal: [zone]}
receivers: [{name: default}, {name: db, labels: {owner: storage}}, {name: night}]
`;

type Labels = Readonly<Record<string, string>>;

interface Held {
  readonly labels: Labels;
  endsAt: number;
}

interface HeldSilence {
  readonly filter: Filter;
  readonly startsAt: number;
  readonly endsAt: number;
}

interface Filter {
  readonly name: string;
  readonly operator: string;
  readonly value: string;
}

interface Query {
  readonly filters: readonly Filter[];
  readonly flags: Readonly<Record<string, string>>;
  readonly receiver: string;
  readonly receiverFilters: readonly Filter[];
}

/** A label that is absent is the empty text; an empty value asks whether it is there. */
function passes(labels: Labels, { name, operator, value }: Filter): boolean {
  const label = labels[name];
  if (value === '' && (operator === '=' || operator === '=~') && label === undefined) return true;
  if (value === '' && (operator === '!=' || operator === '!~') && label !== undefined) return true;
  const isRegExp = operator.includes('~');
  const isMatch = isRegExp ? new RegExp(`^(?:${value})$`).test(label ?? '') : (label ?? '') === value;
  return isMatch === operator.startsWith('=');
}

const RECEIVER_LABELS: Readonly<Record<string, Labels>> = {
  default: { name: 'default' },
  db: { name: 'db', owner: 'storage' },
  night: { name: 'night' },
};

interface Destination {
  readonly receiver: string;
  readonly groupBy: readonly string[] | 'all';
}

/** The routes of CONFIG, walked by hand. */
function destinationsOf({ job, zone, kind }: Labels): readonly Destination[] {
  const found: Destination[] = job === 'db' ? [{ receiver: 'db', groupBy: ['zone'] }] : [];
  if (zone === 'a') found.push({ receiver: 'night', groupBy: 'all' });
  else if ((kind === 'Down' || kind === 'Slow') && job !== undefined)
    found.push({ receiver: 'db', groupBy: ['kind', 'job'] });
  return found.length > 0 ? found : [{ receiver: 'default', groupBy: ['kind', 'été 😀'] }];
}

class Model {
  readonly held = new Map<string, Held>();
  readonly silences: HeldSilence[] = [];

  post(labels: Labels, endsAt: number, now: number): void {
    const key = JSON.stringify(Object.entries(labels).sort());
    const known = this.held.get(key);
    if (known) known.endsAt = known.endsAt > now ? Math.max(known.endsAt, endsAt) : endsAt;
    else this.held.set(key, { labels, endsAt });
  }

  alerts(query: Query, now: number): readonly string[] {
    const wanted = this.#wanted(query, now);
    const texts = wanted.map(({ labels }) => [labels, destinationsOf(labels).map(({ receiver }) => receiver)]);
    return texts.map((text) => JSON.stringify(text)).sort();
  }

  groups(query: Query, now: number): readonly string[] {
    const groups = new Map<string, string[]>();
    for (const { labels } of this.#wanted(query, now)) {
      const wanted = destinationsOf(labels).filter(({ receiver }) => takesReceiver(query, receiver));
      const receivers = wanted.map(({ receiver }) => receiver).sort();
      for (const { receiver, groupBy } of wanted) {
        const names = Object.keys(labels).filter((name) => groupBy === 'all' || groupBy.includes(name));
        const key = JSON.stringify([receiver, Object.fromEntries(names.sort().map((name) => [name, labels[name]]))]);
        groups.set(key, [...(groups.get(key) ?? []), JSON.stringify([labels, receivers])]);
      }
    }
    return [...groups].map(([key, alerts]) => `${key} ${alerts.sort()}`).sort();
  }

  #wanted(query: Query, now: number): readonly Held[] {
    return [...this.held.values()].filter((held) => {
      const isSilenced = this.#isSilenced(held, now);
      const isInhibited = this.#isInhibited(held, now);
      const leaves = (flag: string) => query.flags[flag] === 'false';
      if (leaves('active') && !isSilenced && !isInhibited) return false;
      if ((leaves('silenced') && isSilenced) || (leaves('inhibited') && isInhibited)) return false;
      if (held.endsAt < now || !query.filters.every((filter) => passes(held.labels, filter))) return false;
      return destinationsOf(held.labels).some(({ receiver }) => takesReceiver(query, receiver));
    });
  }

  #isSilenced({ labels }: Held, now: number): boolean {
    return this.silences.some(
      ({ filter, startsAt, endsAt }) => startsAt <= now && now < endsAt && passes(labels, filter),
    );
  }

  #isInhibited({ labels }: Held, now: number): boolean {
    if (labels.job !== 'db') return false;
    const isSourceToo = labels.kind === 'Down';
    return [...this.held.values()].some(
      (source) =>
        source.labels.kind === 'Down' &&
        source.endsAt > now &&
        source.labels.zone === labels.zone &&
        !(isSourceToo && source.labels.job === 'db'),
    );
  }
}

function takesReceiver({ receiver, receiverFilters }: Query, name: string): boolean {
  const isNamed = receiver === '' || new RegExp(`^(?:${receiver})$`).test(name);
  return isNamed && receiverFilters.every((filter) => passes(RECEIVER_LABELS[name] ?? {}, filter));
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  job: ['db', 'web'],
  zone: ['a', 'b', 'ü'],
  kind: ['Down', 'Slow', 'Full'],
  n: Array.from({ length: 40 }, (_, number) => `${number}`),
  'été 😀': ['ja', '𝔫𝔢𝔦𝔫'],
};

function randomLabels(random: Random): Labels {
  const labels: Record<string, string> = { n: random.pick(VALUES.n ?? []) };
  for (const [name, values] of Object.entries(VALUES)) if (random.chance(0.7)) labels[name] = random.pick(values);
  return labels;
}

function randomFilter(random: Random): Filter {
  const name = random.pick([...Object.keys(VALUES), 'missing']);
  const operator = random.pick(['=', '=', '!=', '=~', '!~']);
  const value = random.pick(VALUES[name] ?? ['x']);
  if (random.chance(0.15)) return { name, operator, value: '' };
  return { name, operator, value: operator.includes('~') ? random.pick([`${value}|1`, '.+', '.*', '1.*']) : value };
}

function randomQuery(random: Random): Query {
  const flags: Record<string, string> = {};
  for (const flag of ['active', 'silenced', 'inhibited', 'unprocessed', 'muted'])
    if (random.chance(0.2)) flags[flag] = random.pick(['true', 'false']);
  const about = random.pick(['name', 'owner']);
  const receiverFilter = { name: about, operator: random.pick(['=', '!=', '=~']), value: random.pick(['db', '']) };
  return {
    filters: Array.from({ length: random.pick([0, 1, 1, 2]) }, () => randomFilter(random)),
    flags,
    receiver: random.pick(['', '', '', 'db', 'd.*', 'nobody']),
    receiverFilters: random.chance(0.1) ? [receiverFilter] : [],
  };
}

function pathOf(base: string, { filters, flags, receiver, receiverFilters }: Query): string {
  const parameters = new URLSearchParams(flags);
  const write = ({ name, operator, value }: Filter) => `"${name}"${operator}"${value}"`;
  for (const filter of filters) parameters.append('filter', write(filter));
  for (const filter of receiverFilters) parameters.append('receiver_matchers', write(filter));
  if (receiver !== '') parameters.append('receiver', receiver);
  return `${base}?${parameters}`;
}

interface Listed {
  readonly labels: Labels;
  readonly receivers: readonly { readonly name: string }[];
}

/** Its labels in the order of the model, and its receivers. */
function asModelled(model: Model, { labels, receivers }: Listed): string {
  const held = model.held.get(JSON.stringify(Object.entries(labels).sort()));
  return JSON.stringify([held?.labels, receivers.map(({ name }) => name)]);
}

async function compare(app: TestApp, model: Model, query: Query): Promise<void> {
  const now = app.clock.now();
  const listed = await app.get(pathOf('/api/v2/alerts', query));
  assert.deepEqual((listed.json as Listed[]).map((alert) => asModelled(model, alert)).sort(), model.alerts(query, now));
  const grouped = await app.get(pathOf('/api/v2/alerts/groups', query));
  const groups = grouped.json as { receiver: { name: string }; labels: Labels; alerts: Listed[] }[];
  const texts = groups.map(({ receiver, labels, alerts }) => {
    const sorted = Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
    return `${JSON.stringify([receiver.name, sorted])} ${alerts.map((alert) => asModelled(model, alert)).sort()}`;
  });
  assert.deepEqual(texts.sort(), model.groups(query, now), pathOf('groups', query));
}

async function change(app: TestApp, model: Model, random: Random): Promise<void> {
  app.clock.advance(random.int(0, 20) * 1_000);
  const now = app.clock.now();
  const instant = (at: number) => new Date(at).toISOString();
  if (random.chance(0.7)) {
    const posted = Array.from({ length: random.int(1, 40) }, () => randomLabels(random));
    const endsAt = now + random.int(1, 200) * 1_000;
    for (const labels of posted) model.post(labels, endsAt, now);
    const body = posted.map((labels) => ({ labels, startsAt: instant(now), endsAt: instant(endsAt) }));
    assert.equal((await app.post('/api/v2/alerts', body)).status, 200);
  }
  if (random.chance(0.3)) {
    const filter = { name: 'n', operator: '=~', value: random.pick(['1.*', '.*2', '3|5|8|13']) };
    const startsAt = now + random.int(0, 20) * 1_000;
    const endsAt = startsAt + random.int(1, 60) * 1_000;
    model.silences.push({ filter, startsAt, endsAt });
    const matchers = [{ name: 'n', value: filter.value, isRegex: true }];
    const silence = { matchers, startsAt: instant(startsAt), endsAt: instant(endsAt), createdBy: 'ann', comment: 'c' };
    assert.equal((await app.post('/api/v2/silences', silence)).status, 200);
  }
}

for (const seed of isLongRound ? [2, 3] : [1]) {
  test(`a listing follows its parameters, whatever the previous requests (seed ${seed})`, {
    only: isLongRound,
  }, async (t) => {
    const random = new Random(seed);
    const app = createTestApp(t, { config: CONFIG });
    const model = new Model();
    // More than are remembered, so that some are asked anew and some again.
    const queries = Array.from({ length: 14 }, () => randomQuery(random));
    queries.push({ filters: [], flags: {}, receiver: '', receiverFilters: [] });
    for (let round = 0; round < 60; round++) {
      await change(app, model, random);
      for (const query of [random.pick(queries), random.pick(queries.slice(-4)), randomQuery(random)])
        await compare(app, model, query);
    }
  });
}
