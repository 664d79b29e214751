import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Answer, Conversation, LOG_SHAPE, type LogShape, type WrittenLogs } from './conversation.ts';

const MODELS = ['claude-opus-5-20260724', 'claude-sonnet-4-6', 'claude-haiku-4-5-20251001'];
const PROJECTS = ['web-shop', 'ledger', 'infra'];
const MAX_ANSWERS = 60;

interface Place {
  readonly project: string;
  readonly session: string;
  readonly isSidechain: boolean;
}

/**
 * Logs of Claude Code below `home`: answers of several lines whose last has the full count, sessions that a resumed one
 * repeats, side chains that replay an answer, subagents that stand in the main session too, failed requests, and tool
 * results that contain somebody's usage.
 */
export function writeClaudeLogs(home: string, shape: Partial<LogShape> = {}): WrittenLogs {
  const writer = new ClaudeWriter(join(home, '.claude', 'projects'), { ...LOG_SHAPE, ...shape });
  return writer.write();
}

class ClaudeWriter {
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
    const place = { project: random.pick(PROJECTS), session: this.#talk.uuid(), isSidechain: false };
    const lines = [this.#line(place, { type: 'summary', summary: this.#talk.text(), leafUuid: this.#talk.uuid() })];
    this.#turns(lines, place, random.int(3, MAX_ANSWERS));
    if (random.chance(0.5)) this.#subagent(lines, place);
    this.#store(place, `${place.session}.jsonl`, lines);
    if (random.chance(0.4)) this.#resumed(lines, place);
    this.#talk.pause();
  }

  /** A resumed session begins with the lines of the first, in a file of its own. */
  #resumed(lines: readonly string[], { project }: Place): void {
    const place = { project, session: this.#talk.uuid(), isSidechain: false };
    const repeated = this.#talk.random.chance(0.5)
      ? lines
      : lines.map((line) => line.replace(/"sessionId":"[^"]*"/, `"sessionId":"${place.session}"`));
    const own = [...repeated];
    this.#turns(own, place, this.#talk.random.int(1, 8));
    this.#store(place, `${place.session}.jsonl`, own);
  }

  #subagent(main: string[], { project, session }: Place): void {
    const place = { project, session, isSidechain: true };
    const lines: string[] = [];
    this.#turns(lines, place, this.#talk.random.int(1, 5));
    // Its answers stand in the main session as progress, too.
    for (const line of lines.filter((text) => text.includes('"assistant"'))) {
      const message = JSON.parse(line);
      main.push(
        this.#line(
          { ...place, isSidechain: false },
          { type: 'progress', data: { type: 'agent_progress', message, prompt: this.#talk.text() } },
        ),
      );
    }
    const replayed = main.findLast((line) => line.includes('"requestId"') && !line.includes('agent_progress'));
    if (replayed) lines.push(this.#replay(replayed));
    this.#store(place, join(session, 'subagents', `agent-${this.#talk.id('a')}.jsonl`), lines);
  }

  /** An answer of the main session in a side chain: its id, another request, and a prompt of its own. */
  #replay(line: string): string {
    const entry = JSON.parse(line);
    entry.isSidechain = true;
    entry.requestId = this.#talk.id('req_011');
    entry.message.usage.cache_read_input_tokens += 40_000;
    return JSON.stringify(entry);
  }

  #turns(lines: string[], place: Place, count: number): void {
    const { random } = this.#talk;
    const model = random.pick(MODELS);
    let cached = random.int(8_000, 20_000);
    for (let turn = 0; turn < count; turn++) {
      lines.push(this.#line(place, { type: 'user', message: { role: 'user', content: this.#talk.text() } }));
      if (random.chance(0.03)) lines.push(this.#failure(place));
      if (random.chance(0.1)) lines.push(this.#toolResult(place));
      const written = random.int(100, 6_000);
      this.#answer(lines, place, { model, cacheWrite: written, cacheRead: cached });
      cached += written;
    }
  }

  #answer(lines: string[], place: Place, prompt: { model: string; cacheWrite: number; cacheRead: number }): void {
    const { random } = this.#talk;
    const id = this.#talk.id('msg_01');
    const requestId = this.#talk.id('req_011');
    const input = random.int(2, 400);
    const output = random.int(20, 3_000);
    const blocks = random.int(1, 3);
    const isFast = random.chance(0.05);
    for (let block = 1; block <= blocks; block++) {
      const usage = {
        input_tokens: input,
        cache_creation_input_tokens: prompt.cacheWrite,
        cache_read_input_tokens: prompt.cacheRead,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: prompt.cacheWrite },
        output_tokens: block === blocks ? output : random.int(1, 19),
        service_tier: 'standard',
        ...(isFast ? { speed: 'fast' } : {}),
      };
      const content = [{ type: 'text', text: this.#talk.text() }];
      const message = {
        model: prompt.model,
        id,
        type: 'message',
        role: 'assistant',
        content,
        stop_reason: null,
        usage,
      };
      lines.push(this.#line(place, { message, requestId, type: 'assistant' }, 900));
    }
    const model = prompt.model + (isFast ? '-fast' : '');
    this.#answers.push({ at: this.#talk.at, project: place.project, input, output, ...prompt, model });
  }

  #failure(place: Place): string {
    const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const content = [{ type: 'text', text: `API Error ${this.#talk.text()}` }];
    const message = { id: this.#talk.uuid(), model: '<synthetic>', role: 'assistant', type: 'message', usage, content };
    return this.#line(place, { type: 'assistant', message, isApiErrorMessage: true });
  }

  /** What a subagent used, in the result of its tool. */
  #toolResult(place: Place): string {
    const usage = { input_tokens: 7, output_tokens: 9_000, cache_read_input_tokens: 70_000 };
    const message = { role: 'user', content: [{ type: 'tool_result', content: this.#talk.text() }] };
    return this.#line(place, {
      type: 'user',
      message,
      toolUseResult: { status: 'completed', totalTokens: 79_007, usage },
    });
  }

  #line({ project, session, isSidechain }: Place, fields: object, mostMs?: number): string {
    return JSON.stringify({
      parentUuid: this.#talk.uuid(),
      isSidechain,
      userType: 'external',
      cwd: `/home/me/code/${project}${this.#talk.random.chance(0.2) ? '/src' : ''}`,
      sessionId: session,
      version: '2.1.268',
      gitBranch: 'main',
      ...fields,
      uuid: this.#talk.uuid(),
      timestamp: this.#talk.tick(mostMs),
    });
  }

  #store({ project }: Place, name: string, lines: readonly string[]): void {
    const path = join(this.#folder, `-home-me-code-${project}`, name);
    mkdirSync(dirname(path), { recursive: true });
    const text = `${lines.join('\n')}\n`;
    writeFileSync(path, text);
    this.#bytes += Buffer.byteLength(text);
    this.#files.push(path);
  }
}
