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
  printable,
  textOf,
  timeOf,
} from './fields.ts';
import { homeFolder, listedFolders } from './folders.ts';
import type { AgentLogs, LogReader } from './log.ts';

/** As Claude Code writes it; in a text of the conversation its quotes are escaped. */
const USAGE = Buffer.from('"usage":{');
const NO_EVENTS: readonly AgentEvent[] = [];
/** An id that Anthropic gave one answer, through whatever cloud. Other gateways repeat ids. */
const ANSWER_ID = /^msg_/;
/** More than any number of tokens, twice. */
const MAIN_CHAIN_RANK = 2 ** 41;

/**
 * Claude Code: `projects/<folder of the project>/**.jsonl` below `CLAUDE_CONFIG_DIR` (comma-separated), or below
 * `~/.config/claude` and `~/.claude`.
 */
export const claudeLogs: AgentLogs = {
  id: 'claude',
  form: 'lines',
  folders(env, home) {
    const listed = listedFolders(env.CLAUDE_CONFIG_DIR, home);
    const homes = listed ?? [
      join(homeFolder(env.XDG_CONFIG_HOME, join(home, '.config')), 'claude'),
      join(home, '.claude'),
    ];
    return homes.map((folder) => (/[/\\]projects[/\\]?$/.test(folder) ? folder : join(folder, 'projects')));
  },
  isLog: (path) => path.endsWith('.jsonl'),
  open: (path) => new ClaudeReader(path),
};

class ClaudeReader implements LogReader {
  readonly #folder: string;
  readonly #fileSession: string;
  #cwd: unknown;
  #project: string;

  constructor(path: string) {
    const segments = path.split('/');
    this.#folder = segments.length > 1 ? (segments[0] ?? '') : '';
    this.#fileSession = sessionOfPath(segments);
    this.#project = printable(this.#folder.replace(/^-+/, '')) || 'unknown';
  }

  read(line: Buffer): readonly AgentEvent[] | undefined {
    if (line.length === 0) return NO_EVENTS;
    if (!isClosed(line)) return undefined;
    if (!line.includes(USAGE)) return NO_EVENTS;
    const fields = parseLine(line);
    return fields && this.#eventsOf(fields);
  }

  state(): string {
    return '{}';
  }

  #eventsOf(outer: Fields): readonly AgentEvent[] | undefined {
    // A main session repeats the answers of its subagents one level deeper.
    const entry = fieldsOf(fieldsOf(outer.data)?.message) ?? outer;
    const message = fieldsOf(entry.message);
    const usage = fieldsOf(message?.usage);
    if (!message || !usage || message.model === '<synthetic>') return NO_EVENTS;
    const at = timeOf(entry.timestamp);
    if (at === undefined) return undefined;
    const session = idOf(outer.sessionId) ?? this.#fileSession;
    const key = keyOf(idOf(message.id), idOf(entry.requestId), session, at);
    const shared = { at, project: this.#projectOf(outer.cwd) };
    const isSideChain = entry.isSidechain === true;
    const events: AgentEvent[] = [];
    for (const [index, part] of [message, ...advisorsOf(usage)].entries()) {
      const event = eventOf(part, isSideChain);
      if (!event) return undefined;
      if (event.rank % MAIN_CHAIN_RANK > 1)
        events.push({ key: index === 0 ? key : `${key}:advisor:${index}`, ...shared, ...event });
    }
    return events;
  }

  /** The name of the project's folder, although the session may have moved into a folder below it. */
  #projectOf(cwd: unknown): string {
    if (typeof cwd !== 'string' || cwd === this.#cwd) return this.#project;
    this.#cwd = cwd;
    const path = textOf(cwd);
    let folder = path.slice(0, 4096);
    while (folder && folder.replace(/[^a-zA-Z0-9]/g, '-') !== this.#folder)
      folder = folder.replace(/[/\\]?[^/\\]*$/, '');
    this.#project = lastSegment(folder) || lastSegment(path) || this.#project;
    return this.#project;
  }
}

/** Usage that an answer bought from another model on its way; it is not part of the answer's own usage. */
function advisorsOf(usage: Fields): Fields[] {
  if (!Array.isArray(usage.iterations)) return [];
  return usage.iterations.flatMap((iteration) => {
    const fields = fieldsOf(iteration);
    return fields?.type === 'advisor_message' && fields.model ? [{ model: fields.model, usage: fields }] : [];
  });
}

function eventOf(message: Fields, isSideChain: boolean) {
  const usage = fieldsOf(message.usage) ?? {};
  const input = countOf(usage.input_tokens);
  const output = countOf(usage.output_tokens);
  const { cacheWrite, cacheWriteHour } = cacheWritesOf(usage);
  const cacheRead = countOf(usage.cache_read_input_tokens);
  if (input === undefined || output === undefined || cacheRead === undefined) return undefined;
  if (cacheWrite === undefined || cacheWriteHour === undefined) return undefined;
  const isFast = usage.speed === 'fast';
  const total = input + output + cacheWrite + cacheRead;
  const rank = (isSideChain ? 0 : MAIN_CHAIN_RANK) + 2 * total + (typeof usage.speed === 'string' ? 1 : 0);
  const model = modelOf(message.model) + (isFast ? '-fast' : '');
  return { model, input, output, cacheWrite, cacheWriteHour, cacheRead, rank };
}

/** Older logs name no duration: writes then stayed for five minutes. */
function cacheWritesOf(usage: Fields) {
  const parts = fieldsOf(usage.cache_creation);
  if (!parts) return { cacheWrite: countOf(usage.cache_creation_input_tokens), cacheWriteHour: 0 };
  const short = countOf(parts.ephemeral_5m_input_tokens);
  const cacheWriteHour = countOf(parts.ephemeral_1h_input_tokens);
  return { cacheWrite: short === undefined ? undefined : short + (cacheWriteHour ?? 0), cacheWriteHour };
}

/**
 * Resumed sessions and side chains repeat an answer under its id, side chains with another request. Without an id of
 * Anthropic's the request, the session or the time tell answers apart.
 */
function keyOf(id: string | undefined, request: string | undefined, session: string, at: number): string {
  if (id && ANSWER_ID.test(id)) return id;
  if (id && request) return `${id}:${request}`;
  return `${id ?? request ?? ''}:${session}:${at}`;
}

/** `<project>/<session>.jsonl`, `<project>/<session>/subagents/<agent>.jsonl`. */
function sessionOfPath(segments: readonly string[]): string {
  const named = segments.length > 2 ? segments[1] : segments.at(-1)?.replace(/\.jsonl$/, '');
  return idOf(named) ?? 'unknown';
}
