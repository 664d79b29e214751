import { join } from 'node:path';
import type { AgentEvent } from '../event.ts';
import {
  countOf,
  type Fields,
  fieldsOf,
  idOf,
  isClosed,
  lastSegment,
  modelOf,
  parseLine,
  textOf,
  timeOf,
} from './fields.ts';
import { listedFolders } from './folders.ts';
import type { AgentLogs, LogReader } from './log.ts';

const NO_EVENTS: readonly AgentEvent[] = [];
/** A line names its type in its first bytes; an answer's texts stand in items, most of the bytes of a log. */
const HEAD_BYTES = 160;
const ITEM = '"type":"response_item"';
const NEEDED = ['"token_count"', '"turn_context"', '"session_meta"', '"token_usage_record"', '"compacted"'].map(
  (text) => Buffer.from(text),
);
/** The model of logs older than the line that names it. */
const FIRST_MODEL = 'gpt-5';
/** A fork writes its copy of the parent's history at once; an own answer takes longer. */
const MAX_REPLAY_PAUSE_MS = 1_000;

const COUNTERS = ['input', 'cached', 'written', 'output', 'reasoning', 'total'] as const;
type Counters = Readonly<Record<(typeof COUNTERS)[number], number>>;

/** A request as its own line records it. */
interface Request {
  readonly id: string;
  readonly at: number;
  readonly model: string | undefined;
  readonly usage: Counters;
}

interface State {
  /** Set once the file's own first line is read. */
  readonly hasBegun?: true;
  readonly project?: string;
  readonly model?: string;
  /** The counters of the last line. */
  readonly totals?: Counters;
  /** The last recorded request, as long as the counters lack it. */
  readonly request?: Request | undefined;
  /** While a fork replays its parent: the time of the last replayed line. */
  readonly replayAt?: number;
}

/**
 * Codex: `sessions` and `archived_sessions` below `CODEX_HOME` (comma-separated) or `~/.codex`. Its `token_count` lines
 * carry counters of the whole session and the usage of the last answer; cached input is a part of input, reasoning a
 * part of output. A compaction by the vendor's server is missing in them: it has only the record of its request.
 */
export const codexLogs: AgentLogs = {
  id: 'codex',
  form: 'lines',
  folders(env, home) {
    const homes = listedFolders(env.CODEX_HOME, home) ?? [join(home, '.codex')];
    return homes.flatMap((folder) => [join(folder, 'sessions'), join(folder, 'archived_sessions')]);
  },
  isLog: (path) => path.endsWith('.jsonl'),
  open: (_, state) => new CodexReader(state),
};

class CodexReader implements LogReader {
  #state: State;

  constructor(state = '{}') {
    this.#state = JSON.parse(state);
  }

  read(line: Buffer): readonly AgentEvent[] | undefined {
    if (line.length === 0) return NO_EVENTS;
    if (!isClosed(line)) return undefined;
    if (line.toString('latin1', 0, HEAD_BYTES).includes(ITEM)) return NO_EVENTS;
    if (!NEEDED.some((text) => line.includes(text))) return NO_EVENTS;
    const fields = parseLine(line);
    return fields && this.#eventsOf(fields);
  }

  state(): string {
    return JSON.stringify(this.#state);
  }

  #eventsOf(fields: Fields): readonly AgentEvent[] | undefined {
    const payload = fieldsOf(fields.payload);
    if (!payload) return NO_EVENTS;
    if (fields.type === 'session_meta') this.#begin(payload, timeOf(fields.timestamp));
    if (fields.type === 'turn_context') this.#turn(payload);
    if (fields.type === 'token_usage_record') this.#record(payload, timeOf(fields.timestamp));
    if (fields.type === 'compacted') return this.#compaction(payload);
    if (fields.type !== 'event_msg' || payload.type !== 'token_count') return NO_EVENTS;
    const info = fieldsOf(payload.info);
    // Lines about rate limits carry no usage.
    return info ? this.#count(info, timeOf(fields.timestamp)) : NO_EVENTS;
  }

  /** Only the first line of this type is the file's own; a fork copies those of its parents. */
  #begin(payload: Fields, at: number | undefined): void {
    if (this.#state.hasBegun) return;
    const isFork = isText(payload.forked_from_id) || isText(parentOf(payload));
    this.#state = {
      ...this.#state,
      hasBegun: true,
      project: lastSegment(textOf(payload.cwd)),
      ...(isFork && at !== undefined ? { replayAt: at } : {}),
    };
  }

  #turn(payload: Fields): void {
    const project = lastSegment(textOf(payload.cwd));
    this.#state = {
      ...this.#state,
      ...(isText(payload.model) ? { model: modelOf(payload.model) } : {}),
      ...(project && !this.#state.project ? { project } : {}),
    };
  }

  #record(payload: Fields, at: number | undefined): void {
    const id = idOf(payload.response_id);
    const usage = countersOf(payload.usage);
    const model = isText(payload.model) ? modelOf(payload.model) : undefined;
    this.#state = { ...this.#state, request: id && at !== undefined && usage ? { id, at, model, usage } : undefined };
  }

  /** Copies in forks have the same id. */
  #compaction(payload: Fields): readonly AgentEvent[] {
    const { request, ...rest } = this.#state;
    if (!request || request.id !== payload.compaction_response_id) return NO_EVENTS;
    this.#state = rest;
    return isNothing(request.usage) ? NO_EVENTS : [this.#eventOf(request.usage, request.at, request.model, request.id)];
  }

  #count(info: Fields, at: number | undefined): readonly AgentEvent[] | undefined {
    const totals = info.total_token_usage ? countersOf(info.total_token_usage) : undefined;
    const last = info.last_token_usage ? countersOf(info.last_token_usage) : undefined;
    if (at === undefined || totals === null || last === null) return undefined;
    const previous = this.#state.totals;
    // Repeated counters repeat the last answer's usage too.
    const isRepeated = totals !== undefined && previous !== undefined && isEqual(totals, previous);
    const usage = last && !isRepeated ? last : totals && difference(totals, previous);
    if (totals) this.#state = { ...this.#state, totals };
    if (!usage || isNothing(usage)) return NO_EVENTS;
    this.#state = { ...this.#state, request: undefined };
    return this.#isReplay(at)
      ? NO_EVENTS
      : [this.#eventOf(usage, at, isText(info.model) ? modelOf(info.model) : undefined)];
  }

  #isReplay(at: number): boolean {
    const { replayAt, ...rest } = this.#state;
    // A copy with its own time counts once by its key.
    if (replayAt === undefined || at < replayAt) return false;
    const isReplay = at - replayAt <= MAX_REPLAY_PAUSE_MS;
    this.#state = isReplay ? { ...rest, replayAt: at } : rest;
    return isReplay;
  }

  #eventOf(usage: Counters, at: number, named: string | undefined, id?: string): AgentEvent {
    const model = named ?? this.#state.model ?? FIRST_MODEL;
    const cacheRead = Math.min(usage.cached, usage.input);
    const cacheWrite = Math.min(usage.written, usage.input - cacheRead);
    return {
      // Archived files and forks repeat answers with their times.
      key: id ?? [at, model, ...COUNTERS.map((name) => usage[name])].join(':'),
      at,
      model,
      project: this.#state.project || 'unknown',
      input: usage.input - cacheRead - cacheWrite,
      output: usage.output,
      cacheWrite,
      cacheWriteHour: 0,
      cacheRead,
      rank: 0,
    };
  }
}

function parentOf(payload: Fields): unknown {
  const subagent = fieldsOf(fieldsOf(payload.source)?.subagent);
  return fieldsOf(subagent?.thread_spawn)?.parent_thread_id;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Null for counters that are no counters. */
function countersOf(value: unknown): Counters | null {
  const fields = fieldsOf(value);
  const counters = {
    input: countOf(fields?.input_tokens),
    cached: countOf(fields?.cached_input_tokens),
    written: countOf(fields?.cache_write_input_tokens),
    output: countOf(fields?.output_tokens),
    reasoning: countOf(fields?.reasoning_output_tokens),
    total: countOf(fields?.total_tokens),
  };
  return fields && COUNTERS.every((name) => counters[name] !== undefined) ? (counters as Counters) : null;
}

function isNothing({ input, cached, output, reasoning }: Counters): boolean {
  return input + cached + output + reasoning === 0;
}

function isEqual(one: Counters, other: Counters): boolean {
  return COUNTERS.every((name) => one[name] === other[name]);
}

/** What was counted since; counters that went back began anew. */
function difference(totals: Counters, previous: Counters | undefined): Counters {
  if (!previous || totals.total < previous.total) return totals;
  const since = (name: keyof Counters) => Math.max(0, totals[name] - previous[name]);
  return {
    input: since('input'),
    cached: since('cached'),
    written: since('written'),
    output: since('output'),
    reasoning: since('reasoning'),
    total: since('total'),
  };
}
