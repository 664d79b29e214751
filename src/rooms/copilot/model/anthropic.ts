import { callModel, JsonEvents, type ModelConnections, readAnswer, refusalError, streamError } from './http.ts';
import { ModelError, type ModelPart, type ModelProvider, type ModelRequest } from './model.ts';
import { tokenCount } from './openai.ts';

const VERSION = '2023-06-01';

/** Sources: https://docs.anthropic.com/en/api/messages and /messages-streaming */
export class AnthropicProvider implements ModelProvider {
  readonly #connections: ModelConnections;

  constructor(connections: ModelConnections) {
    this.#connections = connections;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const answer = await callModel(this.#connections, request, callOf(request), signal);
    if (!('body' in answer)) throw refusalError(answer, request.target);
    const json = new JsonEvents();
    let reason: string | undefined;
    for await (const { event, data } of readAnswer(answer, signal)) {
      if (event === 'message_stop') break;
      if (!KNOWN.has(event)) continue;
      const payload = json.read(data);
      if (!payload) continue;
      const type = event === UNNAMED ? payload.type : event;
      if (type === 'error') throw streamError(payload.error, request.target);
      if (type === 'message_start') yield* usageIn(objectOf(payload.message).usage);
      else if (type === 'content_block_delta') yield* deltaIn(payload.delta);
      else if (type === 'message_delta' || type === 'message') {
        if (type === 'message') yield* blocksIn(payload.content);
        yield* usageIn(payload.usage);
        const { stop_reason } = type === 'message' ? payload : objectOf(payload.delta);
        if (typeof stop_reason === 'string') reason = stop_reason;
      }
    }
    if (reason === 'refusal') throw new ModelError('refused', 'the model refused to answer');
    if (reason !== undefined) yield { kind: 'finish', reason: FINISH[reason] ?? reason };
  }
}

/** The type of such an event stands only in its data; a whole answer has the type `message`. */
const UNNAMED = 'message';
const KNOWN = new Set(['message_start', 'content_block_delta', 'message_delta', 'error', UNNAMED]);
/** Finish reasons in OpenAI's words, so that readers know one set. */
const FINISH: Readonly<Record<string, string>> = { end_turn: 'stop', stop_sequence: 'stop', max_tokens: 'length' };

function callOf({ target, system, turns, maxOutputTokens, temperature }: ModelRequest) {
  const { baseUrl, apiKey, model } = target;
  return {
    url: `${baseUrl.replace(/\/v1$/, '')}/v1/messages`,
    headers: {
      'anthropic-version': VERSION,
      ...(apiKey ? { 'x-api-key': apiKey } : {}),
    } as Record<string, string>,
    body: {
      model,
      system,
      messages: turns.map(({ role, text }) => ({ role, content: text })),
      max_tokens: maxOutputTokens,
      stream: true,
      // Anthropic's scale ends at 1.
      ...(temperature === null ? {} : { temperature: Math.min(1, temperature) }),
    },
  };
}

function* deltaIn(delta: unknown): Generator<ModelPart> {
  const { type, text } = objectOf(delta);
  if (type === 'text_delta' && typeof text === 'string' && text !== '') yield { kind: 'text', text };
  else if (type === 'thinking_delta') yield { kind: 'thinking' };
}

/** The text of a whole answer. */
function* blocksIn(content: unknown): Generator<ModelPart> {
  for (const block of Array.isArray(content) ? content : []) {
    const { type, text } = objectOf(block);
    if (type === 'text' && typeof text === 'string' && text !== '') yield { kind: 'text', text };
  }
}

function* usageIn(usage: unknown): Generator<ModelPart> {
  const { input_tokens, output_tokens } = objectOf(usage);
  const [inputTokens, outputTokens] = [tokenCount(input_tokens), tokenCount(output_tokens)];
  if (inputTokens !== undefined || outputTokens !== undefined) yield { kind: 'usage', inputTokens, outputTokens };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
