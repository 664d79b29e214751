import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Answer, Conversation, LOG_SHAPE, type LogShape, type WrittenLogs } from './conversation.ts';

const MODELS = ['gpt-5.3-codex', 'gpt-6.1-sol', 'gpt-5.4-mini'];
const PROJECTS = ['web-shop', 'ledger', 'infra'];

interface Counters {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
  readonly total_tokens: number;
}

const NOTHING: Counters = {
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_output_tokens: 0,
  total_tokens: 0,
};

interface Session {
  readonly id: string;
  readonly project: string;
  readonly lines: string[];
  totals: Counters;
}

/**
 * Logs of Codex below `home`: counters that grow through a session, lines that repeat them for new rate limits, models
 * that change between turns, counters that begin anew, forks with a copy of their parent's history under new times, and
 * archived copies.
 */
export function writeCodexLogs(home: string, shape: Partial<LogShape> = {}): WrittenLogs {
  return new CodexWriter(join(home, '.codex'), { ...LOG_SHAPE, ...shape }).write();
}

class CodexWriter {
  readonly #folder: string;
  readonly #shape: LogShape;
  readonly #talk: Conversation;
  readonly #answers: Answer[] = [];
  readonly #files: string[] = [];
  #bytes = 0;

  constructor(folder: string, shape: LogShape) {
    this.#folder = folder;
    this.#shape = shape;
    this.#talk = new Conversation(shape);
  }

  write(): WrittenLogs {
    while (this.#bytes < this.#shape.bytes) this.#session();
    return { bytes: this.#bytes, files: this.#files, answers: this.#answers };
  }

  #session(): void {
    const { random } = this.#talk;
    const session = this.#begin(random.pick(PROJECTS), {});
    this.#turns(session, random.int(2, 12));
    if (random.chance(0.2)) {
      // After a compaction the counters begin anew.
      session.totals = NOTHING;
      this.#turns(session, 2);
    }
    const path = this.#store(session);
    if (random.chance(0.2)) this.#archive(session, path);
    if (random.chance(0.4)) this.#fork(session);
    this.#talk.pause();
  }

  #begin(project: string, fields: object): Session {
    const session = { id: this.#talk.uuid(), project, lines: [], totals: NOTHING };
    const payload = {
      id: session.id,
      timestamp: new Date(this.#talk.at).toISOString(),
      cwd: `/home/me/code/${project}`,
      originator: 'codex_cli_rs',
      cli_version: '0.149.0',
      instructions: this.#talk.text(),
      ...fields,
    };
    this.#line(session, 'session_meta', payload);
    return session;
  }

  /** A fork writes its parent's history at once, under the time of the fork. */
  #fork(parent: Session): void {
    this.#talk.tick(600_000);
    const session = this.#begin(parent.project, { forked_from_id: parent.id });
    session.totals = parent.totals;
    for (const line of parent.lines) {
      this.#talk.at += this.#talk.random.int(0, 1);
      session.lines.push(JSON.stringify({ ...JSON.parse(line), timestamp: new Date(this.#talk.at).toISOString() }));
    }
    this.#turns(session, this.#talk.random.int(1, 4));
    this.#store(session);
  }

  #turns(session: Session, count: number): void {
    const { random } = this.#talk;
    for (let turn = 0; turn < count; turn++) {
      const model = random.pick(MODELS);
      this.#line(session, 'turn_context', {
        cwd: `/home/me/code/${session.project}`,
        approval_policy: 'never',
        model,
        summary: 'auto',
      });
      this.#line(session, 'response_item', {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: this.#talk.text() }],
      });
      if (random.chance(0.3)) this.#line(session, 'event_msg', { type: 'token_count', info: null, rate_limits: {} });
      for (let answer = random.int(1, 4); answer > 0; answer--) this.#answer(session, model);
    }
  }

  #answer(session: Session, model: string): void {
    const { random } = this.#talk;
    this.#line(session, 'response_item', {
      type: 'function_call',
      name: 'shell',
      arguments: JSON.stringify({ command: this.#talk.text() }),
    });
    this.#line(session, 'response_item', {
      type: 'function_call_output',
      call_id: this.#talk.id('call_'),
      output: this.#talk.text(),
    });
    this.#line(session, 'event_msg', { type: 'agent_message', message: this.#talk.text() });
    const input = random.int(3_000, 180_000);
    const cached = random.int(0, input);
    const output = random.int(20, 4_000);
    const last = {
      input_tokens: input,
      cached_input_tokens: cached,
      output_tokens: output,
      reasoning_output_tokens: random.int(0, output),
      total_tokens: input + output,
    };
    session.totals = sum(session.totals, last);
    const info = { total_token_usage: session.totals, last_token_usage: last, model_context_window: 258_400 };
    this.#line(session, 'event_msg', {
      type: 'token_count',
      info,
      rate_limits: { primary: { used_percent: random.int(0, 99) } },
    });
    this.#answers.push({
      at: this.#talk.at,
      model,
      project: session.project,
      input: input - cached,
      output,
      cacheWrite: 0,
      cacheRead: cached,
    });
    // The same counters once more, with the newest rate limits.
    if (random.chance(0.3))
      this.#line(session, 'event_msg', { type: 'token_count', info, rate_limits: { primary: { used_percent: 99 } } });
  }

  #line(session: Session, type: string, payload: object): void {
    session.lines.push(JSON.stringify({ timestamp: this.#talk.tick(20_000), type, payload }));
  }

  #archive(session: Session, path: string): void {
    this.#write(join(this.#folder, 'archived_sessions', path.split('/').at(-1) ?? ''), session.lines);
  }

  #store(session: Session): string {
    const [day = '', time = ''] = new Date(this.#talk.at).toISOString().split('T');
    const name = `rollout-${day}T${time.slice(0, 8).replaceAll(':', '-')}-${session.id}.jsonl`;
    return this.#write(join(this.#folder, 'sessions', ...day.split('-'), name), session.lines);
  }

  #write(path: string, lines: readonly string[]): string {
    mkdirSync(dirname(path), { recursive: true });
    const text = `${lines.join('\n')}\n`;
    writeFileSync(path, text);
    this.#bytes += Buffer.byteLength(text);
    this.#files.push(path);
    return path;
  }
}

function sum(one: Counters, other: Counters): Counters {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    cached_input_tokens: one.cached_input_tokens + other.cached_input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    reasoning_output_tokens: one.reasoning_output_tokens + other.reasoning_output_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
  };
}
