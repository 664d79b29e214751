import { randomUUID } from 'node:crypto';
import { CommandError } from '../../../kernel/errors.ts';
import { SseReader } from '../../../kernel/sse/reader.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { RunBody, WireRun } from '../../contract/run.ts';
import { type RoomsClient, withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { MAX_SILENCE_MS } from '../follower.ts';
import { printJson } from '../output.ts';
import { pause } from '../pause.ts';
import { isPassing } from '../persistence.ts';
import { enc, messageSchema, runSchema } from '../wire.ts';
import { AnswerPrinter } from './answer-printer.ts';

export interface AskOptions extends ConnectionOptions {
  readonly private?: boolean;
  readonly thread?: string;
}

const RUNNING = new Set(['queued', 'running']);
const POLL_MS = 250;

/** `rooms ask`: asks the copilot, and prints its answer while it is written. */
export async function ask(
  room: string,
  words: readonly string[],
  options: AskOptions,
  terminal: Terminal,
): Promise<void> {
  const json: RunBody = {
    prompt: words.join(' '),
    ...(options.private ? { private: true } : {}),
    ...(options.thread === undefined ? {} : { threadId: options.thread }),
  };
  await withClient(options, terminal, async (client) => {
    const headers = { 'idempotency-key': randomUUID() };
    const answer = await client.send('POST', `/api/room/${enc(room)}/copilot/run`, { json, headers });
    const { id } = client.parse(answer, runSchema);
    const printer = new AnswerPrinter(options.json ? () => {} : terminal.out);
    const run = await follow(client, id, printer);
    if (options.json) printJson(terminal, run);
    else printer.finish(await wholeText(client, run));
    if (run.state !== 'complete')
      throw new CommandError(
        options.json ? '' : `the run ${run.state}: ${printable(run.error?.message ?? 'no reason given')}`,
      );
  });
}

async function wholeText(client: RoomsClient, { text, messageId }: WireRun): Promise<string | undefined> {
  if (text) return text;
  return messageId ? (await client.get(`/api/message/${enc(messageId)}`, messageSchema)).body : undefined;
}

/** Follows the run's stream while it lasts; its end is requested in any case. */
async function follow(client: RoomsClient, id: string, printer: AnswerPrinter): Promise<WireRun> {
  const path = `/api/run/${enc(id)}`;
  for (;;) {
    await readStream(client, `${path}/stream`, printer);
    const run = await client.get(path, runSchema);
    if (!RUNNING.has(run.state)) return run;
    await pause(client.clock, POLL_MS);
  }
}

async function readStream(client: RoomsClient, path: string, printer: AnswerPrinter): Promise<void> {
  const over = new AbortController();
  try {
    const headers = { accept: 'text/event-stream' };
    const response = await client.open('GET', path, { headers, signal: over.signal });
    const reader = new SseReader();
    for await (const chunk of client.read(response, MAX_SILENCE_MS)) {
      for (const item of reader.push(chunk)) {
        if (item.kind !== 'event') continue;
        if (item.event === 'run.finished') return;
        takeText(item.event, item.data, printer);
      }
    }
  } catch (error) {
    if (!isPassing(error)) throw error;
  } finally {
    over.abort();
  }
}

function takeText(event: string, data: string, printer: AnswerPrinter): void {
  if (event !== 'message.delta' && event !== 'run') return;
  const { offset, text, run } = JSON.parse(data) as {
    readonly offset?: unknown;
    readonly text?: unknown;
    readonly run?: { readonly text?: unknown };
  };
  if (run) printer.replace(typeof run.text === 'string' ? run.text : '');
  if (typeof text === 'string' && typeof offset === 'number') printer.add(offset, text);
}
