import { join } from 'node:path';
import type { AgentEvent } from '../event.ts';
import {
  countOf,
  type Fields,
  fieldsOf,
  idOf,
  lastSegment,
  modelOf,
  parseLine,
  printable,
  textOf,
  timeOf,
} from './fields.ts';
import { homeFolder } from './folders.ts';
import type { AgentLogs, LogReader } from './log.ts';

const LINE_END = 0x0a;
const TOKENS = Buffer.from('"tokens"');
const LINES = '.jsonl';

/**
 * Gemini CLI: `.gemini/tmp/<project>/chats/**` below `GEMINI_CLI_HOME` or the home folder; older sessions are one JSON
 * document, newer ones lines of JSON in which a message with an id replaces the earlier one.
 */
export const geminiLogs: AgentLogs = {
  id: 'gemini',
  form: 'whole',
  folders: (env, home) => [join(homeFolder(env.GEMINI_CLI_HOME, home), '.gemini', 'tmp')],
  isLog: (path) => /\/chats\/.+\.jsonl?$/.test(path),
  open: (path) => new GeminiReader(path),
};

class GeminiReader implements LogReader {
  readonly #isLines: boolean;
  #session: string;
  #project: string;

  constructor(path: string) {
    const segments = path.split('/');
    const folder = segments[0] ?? '';
    this.#isLines = path.endsWith(LINES);
    this.#session = idOf(segments.at(-1)?.replace(/\.jsonl?$/, '')) ?? 'unknown';
    // Older folders are named by a digest.
    this.#project = printable(/^[0-9a-f]{64}$/.test(folder) ? folder.slice(0, 8) : folder) || 'unknown';
  }

  /** A whole document, of whichever form. */
  read(document: Buffer): readonly AgentEvent[] | undefined {
    if (!this.#isLines) {
      const fields = parseLine(document);
      return fields && this.#eventsOf(fields);
    }
    const events: AgentEvent[] = [];
    let understood = document.length === 0;
    for (let start = 0; start < document.length; ) {
      const end = document.indexOf(LINE_END, start);
      const line = document.subarray(start, end < 0 ? undefined : end);
      start += line.length + 1;
      const found = this.#eventsOfLine(line);
      if (!found) continue;
      understood = true;
      for (const event of found) events.push(event);
    }
    return understood ? events : undefined;
  }

  state(): string {
    return '{}';
  }

  #eventsOfLine(line: Buffer): readonly AgentEvent[] | undefined {
    if (!line.includes(TOKENS) && !line.includes('"sessionId"'))
      return line.length > 0 && line[0] === 0x7b ? [] : undefined;
    const fields = parseLine(line);
    return fields && this.#eventsOf(fieldsOf(fields.$set) ?? fields);
  }

  #eventsOf(fields: Fields): readonly AgentEvent[] | undefined {
    this.#session = idOf(fields.sessionId) ?? this.#session;
    if (Array.isArray(fields.directories)) this.#project = lastSegment(textOf(fields.directories[0])) || this.#project;
    if (Array.isArray(fields.messages)) {
      return fields.messages.flatMap((message) => this.#eventOf(fieldsOf(message)) ?? []);
    }
    if (fields.type === undefined) return idOf(fields.sessionId) || fields.lastUpdated ? [] : undefined;
    return this.#eventOf(fields);
  }

  #eventOf(message: Fields | undefined): readonly AgentEvent[] | undefined {
    const tokens = fieldsOf(message?.tokens);
    if (message?.type !== 'gemini' || !tokens) return [];
    const at = timeOf(message.timestamp);
    const prompt = countOf(tokens.input);
    const cached = countOf(tokens.cached);
    const tool = countOf(tokens.tool);
    const answer = countOf(tokens.output);
    const thoughts = countOf(tokens.thoughts);
    if (at === undefined || prompt === undefined || cached === undefined) return undefined;
    if (tool === undefined || answer === undefined || thoughts === undefined) return undefined;
    // The prompt contains what was cached; results of tools and thoughts stand beside prompt and answer.
    const cacheRead = Math.min(cached, prompt);
    const input = prompt - cacheRead + tool;
    const output = answer + thoughts;
    const total = input + cacheRead + output;
    if (total === 0) return [];
    const id = idOf(message.id);
    return [
      {
        key: id ?? `${this.#session}:${at}`,
        at,
        model: modelOf(message.model),
        project: this.#project,
        input,
        output,
        cacheWrite: 0,
        cacheWriteHour: 0,
        cacheRead,
        rank: total,
      },
    ];
  }
}
