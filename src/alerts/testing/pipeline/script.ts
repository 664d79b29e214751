import type { Random } from '../../../testing/random.ts';

/**
 * The steps at a beat. All instants are beats, counted from 0; groups are flushed FLUSH_PHASE_MS behind
 * one, so that the order is certain.
 */
export type PipelineAction =
  | { readonly kind: 'alerts'; readonly alerts: readonly ScriptedAlert[] }
  | { readonly kind: 'silence'; readonly name: string; readonly matchers: readonly unknown[]; readonly endBeat: number }
  | { readonly kind: 'expire'; readonly name: string }
  /** Alone in its beat. All groups are flushed at once, and from then on at this phase. */
  | { readonly kind: 'reload'; readonly config: PipelineConfig };

export interface ScriptedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly generatorURL?: string;
  readonly startBeat: number;
  /** Undefined: it ends unless it is posted again. */
  readonly endBeat: number | undefined;
}

/** An alertmanager.yml as JSON, which is YAML too. In it `SINK` stands for the address of the webhook. */
export type PipelineConfig = Readonly<Record<string, unknown>>;

export interface PipelineScript {
  readonly config: PipelineConfig;
  readonly beats: readonly (readonly PipelineAction[])[];
}

/**
 * `mixed`: everything but reloads; one cadence for all groups, so that alerts may come, go and come again.
 * `cadences`: waits and intervals differ from route to route; alerts only come, and then only go.
 * `reloads`: groups of a single alert, no inhibition, and the configuration changes under them.
 */
export const PIPELINE_KINDS = ['mixed', 'cadences', 'reloads'] as const;
export type PipelineKind = (typeof PIPELINE_KINDS)[number];

const BEATS = 15;
const BEAT_MS = 1000;
/** Flushes fall this long behind a beat; flushes caused by a reload, on its beat. */
export const FLUSH_PHASE_MS = 400;

/** When each beat is, in milliseconds from the first. A beat with a reload is short, and the next one at its old phase again. */
export class Beats {
  /** The beats with a reload. */
  readonly #reloads: readonly number[];
  readonly #slowness: number;
  readonly count: number;

  /** `slowness`: how many times longer than usual a beat lasts. */
  constructor({ beats }: PipelineScript, slowness = 1) {
    this.count = beats.length;
    this.#slowness = slowness;
    this.#reloads = [...beats.keys()].filter((beat) => beats[beat]?.some(({ kind }) => kind === 'reload'));
  }

  msOf(beat: number): number {
    const reloads = this.#reloads.filter((reload) => reload < beat).length;
    return this.#slowness * (beat * BEAT_MS - FLUSH_PHASE_MS * reloads);
  }

  flushMsOf(beat: number): number {
    return this.msOf(beat) + (this.#reloads.includes(beat) ? 0 : this.#slowness * FLUSH_PHASE_MS);
  }

  /** The beat whose flush is next to a moment. */
  nearestFlush(ms: number): number {
    return this.#nearest(ms, (beat) => this.flushMsOf(beat));
  }

  nearest(ms: number): number {
    return this.#nearest(ms, (beat) => this.msOf(beat));
  }

  #nearest(ms: number, msOf: (beat: number) => number): number {
    let beat = 0;
    while (Math.abs(msOf(beat + 1) - ms) < Math.abs(msOf(beat) - ms)) beat++;
    return beat;
  }
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  alertname: ['DiskFull', 'NodeDown', 'Latenz über <5 s> & "mehr"'],
  cluster: ['eu', 'us'],
  severity: ['critical', 'warning'],
  instance: ['a:9100', 'b:9100', 'c:9100'],
  job: ['node', 'api'],
};
const NAMES = Object.keys(VALUES);

type Timers = Readonly<Record<'group_wait' | 'group_interval' | 'repeat_interval', string>>;

/** Repeats end between two flushes, never at one; also where a reload has moved the flushes. */
function randomTimers(random: Random, kind: PipelineKind): Timers {
  const repeat_interval = random.pick(
    kind === 'reloads' ? ['2350ms', '3350ms', '1h'] : ['2500ms', '3500ms', '5500ms', '1h'],
  );
  if (kind !== 'cadences') return { group_wait: '400ms', group_interval: '1s', repeat_interval };
  return {
    group_wait: random.pick(['400ms', '1400ms', '2400ms']),
    group_interval: random.pick(['1s', '2s', '3s']),
    repeat_interval,
  };
}

function randomMatcher(random: Random): { readonly name: string; readonly op: string; readonly value: string } {
  const name = random.pick(['alertname', 'cluster', 'severity', 'instance', 'job', 'team']);
  const values = VALUES[name] ?? [''];
  const op = random.pick(['=', '=', '!=', '=~', '!~']);
  const value = op.endsWith('~')
    ? random.pick(['.*[ak].*', 'eu|node', '.+', 'N.*n', '(?i)CRITICAL'])
    : random.pick(values);
  return { name, op, value };
}

function printMatcher({ name, op, value }: ReturnType<typeof randomMatcher>): string {
  return `${name}${op}${JSON.stringify(value)}`;
}

const RECEIVERS = ['first', 'second', 'a.b+c'];

function randomReceiver(random: Random, name: string): PipelineConfig {
  const hook = (index: number) => ({
    url: `SINK/${encodeURIComponent(name)}/${index}`,
    send_resolved: random.chance(0.7),
    ...(random.chance(0.3) ? { max_alerts: random.int(1, 2) } : {}),
  });
  return { name, webhook_configs: Array.from({ length: random.int(1, 2) }, (_, index) => hook(index)) };
}

function randomGrouping(random: Random, kind: PipelineKind): readonly string[] {
  if (kind === 'reloads' || random.chance(0.15)) return ['...'];
  // An empty list is what 0.25 takes for none at all.
  return [random.pick(['alertname', 'team']), ...random.some(['cluster', 'severity', 'job'], 2)];
}

/** Siblings with the same matchers would share their groups' keys, and so their entries in the notification log. */
function randomRoutes(random: Random, kind: PipelineKind, depth: number): readonly PipelineConfig[] {
  const known = new Set<string>();
  const routes: PipelineConfig[] = [];
  for (let left = random.int(depth === 0 ? 2 : 0, depth === 0 ? 4 : 2); left > 0; left--) {
    const matchers = Array.from({ length: random.int(1, 2) }, () => printMatcher(randomMatcher(random))).sort();
    if (known.has(matchers.join())) continue;
    known.add(matchers.join());
    routes.push({
      matchers,
      ...(random.chance(0.7) ? { receiver: random.pick(RECEIVERS) } : {}),
      ...(random.chance(0.5) ? { continue: true } : {}),
      ...(random.chance(0.6) ? { group_by: randomGrouping(random, kind) } : {}),
      ...(random.chance(0.5) ? randomTimers(random, kind) : {}),
      ...(random.chance(0.15) ? { mute_time_intervals: [random.pick(['always', 'never'])] } : {}),
      ...(random.chance(0.15)
        ? { active_time_intervals: random.pick([['always'], ['never'], ['never', 'always']]) }
        : {}),
      ...(depth < 2 ? { routes: randomRoutes(random, kind, depth + 1) } : {}),
    });
  }
  return routes;
}

function randomInhibition(random: Random): PipelineConfig {
  return {
    source_matchers: [printMatcher({ name: 'severity', op: '=', value: 'critical' })],
    target_matchers: [printMatcher(randomMatcher(random))],
    equal: random.some(['alertname', 'cluster', 'job', 'team'], 2),
  };
}

function randomConfig(random: Random, kind: PipelineKind): PipelineConfig {
  return {
    global: { resolve_timeout: `${random.int(2, 5)}s` },
    route: {
      receiver: 'first',
      group_by: randomGrouping(random, kind),
      ...randomTimers(random, kind),
      routes: randomRoutes(random, kind, 0),
    },
    receivers: RECEIVERS.map((name) => randomReceiver(random, name)),
    inhibit_rules: kind === 'reloads' ? [] : Array.from({ length: random.int(0, 3) }, () => randomInhibition(random)),
    time_intervals: [
      { name: 'always', time_intervals: [{ years: ['2000:2190'] }] },
      { name: 'never', time_intervals: [{ months: ['1'], days_of_month: ['31'], years: ['1999'] }] },
    ],
  };
}

const RELOADS = [3, 6, 9];

/** Alerts come from a small world, so that they meet in groups, silence and inhibit each other. */
class AlertWorld {
  readonly #random: Random;
  readonly #kind: PipelineKind;
  /** Alerts first come and then go: the first beat without new ones. */
  readonly #endOfComing: number;
  /** By labels: since when an alert fires, and until when if that is known. */
  readonly #known = new Map<string, ScriptedAlert>();

  constructor(random: Random, kind: PipelineKind) {
    this.#random = random;
    this.#kind = kind;
    this.#endOfComing = kind === 'cadences' ? Math.ceil(BEATS / 2) : Number.POSITIVE_INFINITY;
  }

  alertsAt(beat: number): readonly ScriptedAlert[] {
    const comes = beat < this.#endOfComing;
    const alerts = Array.from({ length: this.#random.int(0, 4) }, () =>
      comes && this.#random.chance(0.65) ? this.#fire(beat) : this.#end(beat),
    ).filter((alert) => alert !== undefined);
    // Of an alert twice in one post, either version might be sent.
    const byLabels = new Map(alerts.map((alert) => [JSON.stringify(alert.labels), alert]));
    for (const [key, alert] of byLabels) this.#known.set(key, alert);
    return [...byLabels.values()];
  }

  #fire(beat: number): ScriptedAlert {
    const random = this.#random;
    const labels = Object.fromEntries(
      NAMES.filter((name) => name === 'alertname' || random.chance(0.8)).map((name) => [
        name,
        random.pick(VALUES[name] ?? []),
      ]),
    );
    const known = this.#known.get(JSON.stringify(labels));
    // Without a posted end it may be over, and with its old start a new group would not wait.
    const fires = known?.endBeat !== undefined && known.endBeat > beat;
    return {
      labels,
      annotations: random.chance(0.6) ? { summary: random.pick(['full & <hot>', 'été 😀', 'a\nb']) } : {},
      ...(random.chance(0.3) ? { generatorURL: 'http://prometheus.example/graph?g0.expr=up%3D%3D0&g0.tab=1' } : {}),
      startBeat: fires ? known.startBeat : beat,
      endBeat: this.#randomEnd(beat),
    };
  }

  #randomEnd(beat: number): number | undefined {
    if (this.#kind === 'cadences') return this.#random.int(this.#endOfComing + 1, BEATS + 2);
    // A reload moves the beats, but not what the server assumes.
    if (this.#kind === 'mixed' && this.#random.chance(0.4)) return undefined;
    return beat + this.#random.int(1, BEATS);
  }

  /** Something that still fires, ended now. */
  #end(beat: number): ScriptedAlert | undefined {
    const firing = [...this.#known.values()].filter(
      ({ startBeat, endBeat }) => startBeat < beat && endBeat !== undefined && endBeat > beat,
    );
    if (firing.length === 0 || (this.#kind === 'cadences' && beat <= this.#endOfComing)) return undefined;
    return { ...this.#random.pick(firing), endBeat: beat };
  }
}

/** The same seed writes the same script. */
export function writePipelineScript(random: Random, kind: PipelineKind): PipelineScript {
  const world = new AlertWorld(random, kind);
  const silences: string[] = [];
  const beats: PipelineAction[][] = [];
  for (let beat = 0; beat < BEATS; beat++) {
    if (kind === 'reloads' && RELOADS.includes(beat)) {
      beats.push([{ kind: 'reload', config: randomConfig(random, kind) }]);
      continue;
    }
    const actions: PipelineAction[] = [];
    if (random.chance(0.25)) {
      const name = `silence ${beat}`;
      const matchers = Array.from({ length: random.int(1, 2) }, () => randomMatcher(random)).map(
        ({ name, op, value }) => ({
          name,
          value,
          isEqual: !op.startsWith('!'),
          isRegex: op.endsWith('~'),
        }),
      );
      actions.push({ kind: 'silence', name, matchers, endBeat: beat + random.int(1, BEATS) });
      silences.push(name);
    }
    if (silences.length > 0 && random.chance(0.15)) actions.push({ kind: 'expire', name: random.pick(silences) });
    const alerts = world.alertsAt(beat);
    if (alerts.length > 0) actions.push({ kind: 'alerts', alerts });
    beats.push(actions);
  }
  return { config: randomConfig(random, kind), beats };
}
