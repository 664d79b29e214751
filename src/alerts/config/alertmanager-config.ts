import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { parseDuration } from '../../kernel/duration.ts';
import { isClassicLabelName, isUtf8LabelName } from '../domain/label-name.ts';
import { accepted, type Outcome, refused } from '../domain/outcome.ts';

/** What this version reads of an alertmanager.yml. Durations are milliseconds. */
export interface AlertmanagerConfig {
  readonly resolveTimeoutMs: number;
  readonly route: RouteConfig;
  /** In the order of the file. */
  readonly receivers: readonly string[];
}

export interface RouteConfig {
  readonly receiver: string;
  /** Undefined: one group for all; `['...']`: a group for each label set. */
  readonly groupBy: readonly string[] | undefined;
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  readonly repeatIntervalMs: number;
}

const DEFAULTS = {
  resolveTimeoutMs: 300_000,
  groupWaitMs: 30_000,
  groupIntervalMs: 300_000,
  repeatIntervalMs: 14_400_000,
};

/** Fields that Alertmanager knows and this version does not carry out; each would change who is told of an alert. */
const NOT_YET: Readonly<Record<string, readonly string[]>> = {
  'the configuration': [
    'inhibit_rules',
    'templates',
    'mute_time_intervals',
    'time_intervals',
    'tracing',
    'event_recorder',
  ],
  'the root route': ['routes', 'labels'],
};

/** What only a child of the root route may have. */
const FORBIDDEN: ReadonlyMap<string, string> = new Map([
  ['match', 'matchers'],
  ['match_re', 'matchers'],
  ['matchers', 'matchers'],
  ['mute_time_intervals', 'mute time intervals'],
  ['active_time_intervals', 'active time intervals'],
]);

/** Reads and checks the text of a configuration file; a refusal names the line, what was found and what to write instead. */
export function readConfig(text: string, classicNames: boolean): Outcome<AlertmanagerConfig> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, schema: 'failsafe' });
  const [error] = document.errors;
  if (error) return refused(`line ${error.linePos?.[0].line ?? 1}: ${error.message.split(/ at line |\n/, 1)[0]}`);
  try {
    return accepted(new ConfigReader(document, lines, classicNames).read(document.contents));
  } catch (fault) {
    if (fault instanceof ConfigFault) return refused(fault.message);
    throw fault;
  }
}

/** Ends the reading of a file at its first fault; never leaves this module. */
class ConfigFault extends Error {}

/** Nothing, as YAML writes it without quotes: such a field is one that is not there. */
function isNothing(node: unknown): boolean {
  return node === null || (isScalar(node) && node.type === 'PLAIN' && /^(~|null|Null|NULL)?$/.test(String(node.value)));
}

function isEmpty(node: unknown): boolean {
  return isNothing(node) || ((isMap(node) || isSeq(node)) && node.items.length === 0);
}

/** How YAML 1.1, which Alertmanager reads, may write false. */
const FALSE = /^(n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;

class ConfigReader {
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #classicNames: boolean;

  constructor(document: Document, lines: LineCounter, classicNames: boolean) {
    this.#document = document;
    this.#lines = lines;
    this.#classicNames = classicNames;
  }

  read(root: unknown): AlertmanagerConfig {
    if (isNothing(root)) throw new ConfigFault('no route provided in config');
    const fields = this.#map(root, 'the configuration', ['global', 'route', 'receivers']);
    const route = fields.get('route');
    if (!route) throw new ConfigFault('no route provided in config');
    const receivers = this.#receivers(fields.get('receivers'));
    const config = {
      resolveTimeoutMs: this.#resolveTimeout(fields.get('global')),
      route: this.#route(route),
      receivers,
    };
    if (!receivers.includes(config.route.receiver)) {
      const place = this.#lineOf(route);
      throw new ConfigFault(
        `${place}undefined receiver ${JSON.stringify(config.route.receiver)} used in route; list it under receivers`,
      );
    }
    return config;
  }

  #resolveTimeout(node: Node | undefined): number {
    if (!node) return DEFAULTS.resolveTimeoutMs;
    const fields = this.#map(
      node,
      'global',
      ['resolve_timeout'],
      'it configures notifications, which this version does not send',
    );
    return this.#duration(fields.get('resolve_timeout'), 'resolve_timeout') ?? DEFAULTS.resolveTimeoutMs;
  }

  #route(node: Node): RouteConfig {
    const known = ['receiver', 'group_by', 'group_wait', 'group_interval', 'repeat_interval', 'continue'];
    const fields = this.#map(node, 'the root route', [...known, ...FORBIDDEN.keys()]);
    if (fields.has('continue') && !FALSE.test(this.#text(fields.get('continue'), 'continue')))
      throw this.#fault(fields.get('continue'), 'cannot have continue in root route');
    for (const [name, what] of FORBIDDEN) {
      if (!isEmpty(fields.get(name) ?? null))
        throw this.#fault(fields.get(name), `root route must not have any ${what}`);
    }
    const receiver = fields.get('receiver');
    if (!receiver || this.#text(receiver, 'receiver') === '')
      throw this.#fault(node, 'root route must specify a default receiver');
    const groupIntervalMs = this.#duration(fields.get('group_interval'), 'group_interval') ?? DEFAULTS.groupIntervalMs;
    const repeatIntervalMs =
      this.#duration(fields.get('repeat_interval'), 'repeat_interval') ?? DEFAULTS.repeatIntervalMs;
    if (groupIntervalMs === 0) throw this.#fault(fields.get('group_interval'), 'group_interval cannot be zero');
    if (repeatIntervalMs === 0) throw this.#fault(fields.get('repeat_interval'), 'repeat_interval cannot be zero');
    return {
      receiver: this.#text(receiver, 'receiver'),
      groupBy: this.#groupBy(fields.get('group_by')),
      groupWaitMs: this.#duration(fields.get('group_wait'), 'group_wait') ?? DEFAULTS.groupWaitMs,
      groupIntervalMs,
      repeatIntervalMs,
    };
  }

  #groupBy(node: Node | undefined): readonly string[] | undefined {
    if (!node) return undefined;
    const names = this.#list(node, 'group_by').map((item) => this.#text(item, 'group_by'));
    const isGoodName = this.#classicNames ? isClassicLabelName : isUtf8LabelName;
    for (const [index, name] of names.entries()) {
      if (name !== '...' && !isGoodName(name))
        throw this.#fault(node, `invalid label name ${JSON.stringify(name)} in group_by list`);
      if (names.indexOf(name) !== index)
        throw this.#fault(node, `duplicated label ${JSON.stringify(name)} in group_by`);
    }
    if (names.includes('...') && names.length > 1) {
      throw this.#fault(node, 'cannot have wildcard group_by (`...`) and other labels at the same time');
    }
    return names.length > 0 ? names : undefined;
  }

  #receivers(node: Node | undefined): readonly string[] {
    const names: string[] = [];
    for (const item of node ? this.#list(node, 'receivers') : []) {
      const fields = this.#map(
        item,
        'a receiver',
        ['name'],
        'this version holds and lists alerts but does not send notifications',
      );
      const name = fields.get('name');
      if (!name || this.#text(name, 'name') === '') throw this.#fault(item, 'missing name in receiver');
      const text = this.#text(name, 'name');
      if (names.includes(text))
        throw this.#fault(item, `notification config name ${JSON.stringify(text)} is not unique`);
      names.push(text);
    }
    return names;
  }

  /** The fields of a mapping. `whyNot` is said of any other field, all of which may then be Alertmanager's own. */
  #map(from: unknown, what: string, known: readonly string[], whyNot?: string): Map<string, Node> {
    const node = this.#resolve(from);
    if (!isMap(node)) throw this.#fault(from, `${what} must be a mapping of fields`);
    const fields = new Map<string, Node>();
    for (const { key, value } of node.items) {
      const name = this.#text(key, 'a field name');
      if (known.includes(name)) {
        if (!isNothing(value)) fields.set(name, value as Node);
        continue;
      }
      const reason = whyNot ?? (NOT_YET[what]?.includes(name) ? 'this version does not carry it out yet' : undefined);
      if (reason && isEmpty(value)) continue;
      if (reason)
        throw this.#fault(
          key,
          `field ${name} in ${what} is not supported: ${reason}; remove it, or stay with Alertmanager`,
        );
      throw this.#fault(key, `field ${name} not found in ${what}; it may have ${known.join(', ')}`);
    }
    return fields;
  }

  #list(from: unknown, what: string): readonly unknown[] {
    const node = this.#resolve(from);
    if (!isSeq(node)) throw this.#fault(from, `${what} must be a list`);
    return node.items;
  }

  /** Any scalar is a text where a text is wanted, as `receiver: 2` is upstream. */
  #text(from: unknown, what: string): string {
    const node = this.#resolve(from);
    if (!isScalar(node)) throw this.#fault(from, `${what} must be a text`);
    return String(node.value ?? '');
  }

  #duration(node: Node | undefined, what: string): number | undefined {
    if (!node) return undefined;
    const text = this.#text(node, what);
    if (text === '') throw this.#fault(node, 'empty duration string');
    const ms = parseDuration(text);
    if (ms === undefined)
      throw this.#fault(
        node,
        `${what}: not a valid duration string: ${JSON.stringify(text)}; write for instance 5m or 1h30m`,
      );
    return ms;
  }

  /** What an alias stands for. */
  #resolve(node: unknown): unknown {
    return isAlias(node) ? node.resolve(this.#document) : node;
  }

  #fault(node: unknown, message: string): ConfigFault {
    return new ConfigFault(this.#lineOf(node) + message);
  }

  #lineOf(node: unknown): string {
    const range = (node as Node | undefined | null)?.range;
    return range ? `line ${this.#lines.linePos(range[0]).line}: ` : '';
  }
}
