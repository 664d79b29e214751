// A scripted model server over real HTTP: OpenAI's chat completions and Anthropic's messages.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../kernel/clock.ts';

export interface ModelRequestSeen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every shape
  readonly body: any;
  /** When the connection was cut before the answer had ended. */
  readonly abandoned: Promise<void>;
}

/** The answer to one request. */
export type ModelScript =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** Never answers. */
  | 'hang'
  /** Cuts the connection before the answer. */
  | 'reset'
  /** The stream's own bytes, piece by piece, then its end; `hang` leaves it open, `reset` cuts it, `repeat` never ends. */
  | { readonly stream: readonly string[]; readonly ending?: 'end' | 'hang' | 'reset' | 'repeat' };

const REPEAT_MS = 5;

export interface FakeModel {
  /** `http://127.0.0.1:port/v1` */
  readonly url: string;
  readonly requests: readonly ModelRequestSeen[];
  /** The answers to the next requests; the last one is repeated. */
  play(...scripts: readonly ModelScript[]): void;
  /** Writes into an open stream; `null` ends it. */
  write(text: string | null): void;
  /** Resolves after this number of requests. */
  received(count: number): Promise<void>;
}

/** Chunks of OpenAI's stream for an answer. */
export function openAiStream(
  words: readonly string[],
  { finish = 'stop', usage = { prompt_tokens: 11, completion_tokens: 7 } as object | null, done = true } = {},
): string[] {
  const chunk = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  return [
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
    ...words.map((content) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
    ...(finish === '' ? [] : [chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })]),
    ...(usage === null ? [] : [chunk({ choices: [], usage })]),
    ...(done ? ['data: [DONE]\n\n'] : []),
  ];
}

/** Events of Anthropic's stream for an answer. */
export function anthropicStream(words: readonly string[], { stop = 'end_turn', done = true } = {}): string[] {
  const event = (type: string, value: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
  return [
    event('message_start', { message: { usage: { input_tokens: 13, output_tokens: 1 } } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('ping', {}),
    ...words.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: stop }, usage: { output_tokens: 9 } }),
    ...(done ? [event('message_stop', {})] : []),
  ];
}

export async function startFakeModel(t: { after(end: () => Promise<void>): void }): Promise<FakeModel> {
  const requests: ModelRequestSeen[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let scripts: ModelScript[] = [{ stream: openAiStream(['hello']) }];
  let open: ServerResponse | undefined;
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
    const abandoned = new Promise<void>((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
    const { url: path = '', headers } = incoming;
    requests.push({ path, headers, body: JSON.parse(text), abandoned });
    const script = scripts.length > 1 ? scripts.shift() : scripts[0];
    open = response;
    respond(response, script ?? 'hang');
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    play(...next) {
      scripts = [...next];
    },
    write(text) {
      if (text === null) open?.end();
      else open?.write(text);
    },
    received: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push({ count, resolve });
          }),
  };
}

function respond(response: ServerResponse, script: ModelScript): void {
  if (script === 'hang') return;
  if (script === 'reset') {
    response.destroy();
    return;
  }
  if ('status' in script) {
    response.writeHead(script.status, script.headers);
    response.end(script.body ?? '');
    return;
  }
  const { stream, ending = 'end' } = script;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for (const piece of stream) response.write(piece);
  if (ending === 'end') response.end();
  if (ending === 'reset') setImmediate(() => response.destroy());
  if (ending === 'repeat')
    response.once(
      'close',
      systemClock.every(REPEAT_MS, () => response.write(stream.at(-1) ?? '')),
    );
}
