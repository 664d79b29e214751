import type { HttpStream } from '../../../kernel/http-client/http-client.ts';
import { callModel, JsonEvents, type ModelConnections, readAnswer, refusalError, streamError } from './http.ts';
import type { ModelPart, ModelProvider, ModelRequest, ModelTarget } from './model.ts';

/** Parameters that some servers refuse. */
type Habit = 'no stream_options' | 'no temperature' | 'max_completion_tokens';
const MAX_REMEMBERED = 1_000;

/**
 * Chat completions of OpenAI and compatible servers. Source: https://platform.openai.com/docs/api-reference/chat/create
 */
export class OpenAiProvider implements ModelProvider {
  readonly #connections: ModelConnections;
  /** Refused parameters by target, left out of later requests. */
  readonly #habits = new Map<string, Set<Habit>>();

  constructor(connections: ModelConnections) {
    this.#connections = connections;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const response = await this.#ask(request, signal);
    const json = new JsonEvents();
    let finish: string | undefined;
    for await (const { data } of readAnswer(response, signal)) {
      if (data.trim() === '[DONE]') break;
      const chunk = json.read(data);
      if (!chunk) continue;
      if (chunk.error) throw streamError(chunk.error, request.target);
      const usage = usageOf(chunk.usage);
      if (usage) yield usage;
      const choice = firstChoice(chunk.choices);
      yield* partsOf(choice);
      if (typeof choice?.finish_reason === 'string' && choice.finish_reason !== '') finish = choice.finish_reason;
    }
    // Usage follows the finish reason, so the reason is yielded last.
    if (finish !== undefined) yield { kind: 'finish', reason: finish };
  }

  /** A refused parameter is left out in a second request, and remembered. */
  async #ask(request: ModelRequest, signal: AbortSignal): Promise<HttpStream> {
    const { target } = request;
    const habits = this.#habitsOf(target);
    for (;;) {
      // Another request may have learned the same meanwhile.
      const sent = new Set(habits);
      const answer = await callModel(this.#connections, request, callOf(request, sent), signal);
      if ('body' in answer) return answer;
      const found = answer.status === 400 || answer.status === 422 ? habitIn(answer.text, sent) : undefined;
      if (!found) throw refusalError(answer, target);
      habits.add(found);
    }
  }

  #habitsOf({ name, baseUrl, model }: ModelTarget): Set<Habit> {
    const key = JSON.stringify([name, baseUrl, model]);
    const found = this.#habits.get(key) ?? new Set();
    this.#habits.delete(key);
    this.#habits.set(key, found);
    if (this.#habits.size > MAX_REMEMBERED) this.#habits.delete(this.#habits.keys().next().value ?? key);
    return found;
  }
}

function callOf({ target, system, turns, maxOutputTokens, temperature }: ModelRequest, habits: ReadonlySet<Habit>) {
  const limit = habits.has('max_completion_tokens') ? 'max_completion_tokens' : 'max_tokens';
  return {
    url: `${target.baseUrl}/chat/completions`,
    headers: (target.apiKey ? { authorization: `Bearer ${target.apiKey}` } : {}) as Record<string, string>,
    body: {
      model: target.model,
      messages: [{ role: 'system', content: system }, ...turns.map(({ role, text }) => ({ role, content: text }))],
      stream: true,
      ...(habits.has('no stream_options') ? {} : { stream_options: { include_usage: true } }),
      [limit]: maxOutputTokens,
      ...(temperature === null || habits.has('no temperature') ? {} : { temperature }),
    },
  };
}

/** The parameter that an error names, unless it was left out already. */
function habitIn(text: string, habits: ReadonlySet<Habit>): Habit | undefined {
  const known: readonly (readonly [string, Habit])[] = [
    ['stream_options', 'no stream_options'],
    ['max_completion_tokens', 'max_completion_tokens'],
    ['max_tokens', 'max_completion_tokens'],
    ['temperature', 'no temperature'],
  ];
  return known.find(([word, habit]) => text.includes(word) && !habits.has(habit))?.[1];
}

interface Choice {
  readonly delta?: Readonly<Record<string, unknown>> | null;
  /** Of an answer without streaming. */
  readonly message?: Readonly<Record<string, unknown>> | null;
  readonly finish_reason?: unknown;
}

/** The list may be empty or `null` in a chunk that holds only usage. */
function firstChoice(choices: unknown): Choice | undefined {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return typeof first === 'object' && first !== null ? first : undefined;
}

function* partsOf(choice: Choice | undefined): Generator<ModelPart> {
  const delta = choice?.delta ?? choice?.message;
  if (typeof delta !== 'object' || delta === null) return;
  const { content, reasoning_content, reasoning } = delta;
  if (typeof content === 'string' && content !== '') yield { kind: 'text', text: content };
  // Reasoning is not shown.
  else if (isWords(reasoning_content) || isWords(reasoning)) yield { kind: 'thinking' };
}

const isWords = (value: unknown): boolean => typeof value === 'string' && value !== '';

function usageOf(usage: unknown): ModelPart | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined;
  const { prompt_tokens, completion_tokens } = usage as Record<string, unknown>;
  const inputTokens = tokenCount(prompt_tokens);
  const outputTokens = tokenCount(completion_tokens);
  return inputTokens === undefined && outputTokens === undefined
    ? undefined
    : { kind: 'usage', inputTokens, outputTokens };
}

/** A plausible token count. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 1e9 ? value : undefined;
}
