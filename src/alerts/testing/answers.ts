import type { PlainClient, PlainRequest, PlainResponse } from '../../testing/http/client.ts';
import { UNKNOWN_SILENCE_ID } from './samples.ts';
import type { Step } from './script.ts';

/** The compared parts of an answer. `body` is parsed JSON, or the text if it is not JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Applies `change` to every object within a JSON value, the innermost first. */
export function mapObjects(value: unknown, change: (object: JsonObject) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (!isObject(value)) return value;
  // Not an assignment each: a label may be called __proto__.
  return change(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapObjects(item, change)])));
}

const COMPARED_HEADERS = ['content-type', 'allow', 'vary', 'access-control-allow-origin'] as const;
const TIMES = new Set(['startsAt', 'endsAt', 'updatedAt', 'uptime']);
const RESOLVE_TIMEOUT_MS = 5 * 60_000;
const NEAR_MS = 60_000;

/** An instant that the server made becomes a word; every other one becomes itself in UTC. */
function nameInstant(text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)$/.test(text)) return `malformed instant ${text}`;
  const fromNowMs = Date.parse(text) - Date.now();
  if (Math.abs(fromNowMs) < NEAR_MS) return '<now>';
  if (Math.abs(fromNowMs - RESOLVE_TIMEOUT_MS) < NEAR_MS) return '<now + resolve_timeout>';
  return new Date(text).toISOString();
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function sortedList(header: unknown): string | undefined {
  const text = Array.isArray(header) ? header.join(',') : header;
  if (typeof text !== 'string') return undefined;
  return text
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .sort()
    .join(',');
}

/** One server under comparison: remembers which ids it gave, so that the same script runs against each. */
export class ScriptedServer {
  readonly #client: PlainClient;
  /** The id that each posted silence got, in the order of the posts. */
  readonly #idOfPost: (string | undefined)[] = [];
  /** Each id by its name, the first one given being `silence 1`. */
  readonly #names = new Map<string, string>();

  constructor(client: PlainClient) {
    this.#client = client;
  }

  /** The request as this server gets it, with its own ids. */
  async resolve(step: Step): Promise<PlainRequest> {
    let text = JSON.stringify([step.path, step.body ?? null]);
    for (const [mark, number] of text.matchAll(/\{\{startsAt:(\d+)\}\}/g)) {
      text = text.replaceAll(mark, await this.#startOf(Number(number)));
    }
    text = text.replace(/\{\{id:(\d+)\}\}/g, (_, number) => this.#idOfPost[Number(number)] ?? UNKNOWN_SILENCE_ID);
    const [path, body] = JSON.parse(text);
    const { method, headers } = step;
    return { method, path, ...(headers && { headers }), ...(body !== null && { body }) };
  }

  async play(step: Step, request: PlainRequest): Promise<Answer> {
    const response = await this.#client.send(request);
    if (step.kind === 'silence post') this.#learnId(response);
    return this.#normalise(response);
  }

  async #startOf(number: number): Promise<string> {
    const id = this.#idOfPost[number];
    const silence = id && parseBody((await this.#client.get(`/api/v2/silence/${id}`)).body);
    return isObject(silence) ? String(silence.startsAt) : '2020-01-01T00:00:00Z';
  }

  #learnId({ body }: PlainResponse): void {
    const answer = parseBody(body);
    const id = isObject(answer) && typeof answer.silenceID === 'string' ? answer.silenceID : undefined;
    this.#idOfPost.push(id);
    if (id && !this.#names.has(id)) this.#names.set(id, `silence ${this.#names.size + 1}`);
  }

  #normalise(response: PlainResponse): Answer {
    const headers = Object.fromEntries(COMPARED_HEADERS.map((name) => [name, sortedList(response.headers[name])]));
    const body = mapObjects(parseBody(response.body), (object) => this.#nameMadeValues(object));
    return { status: response.status, headers, body: orderMethods(orderTies(body)) };
  }

  #nameMadeValues(object: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(object).map(([key, value]) => {
        if (typeof value === 'string' && TIMES.has(key)) return [key, nameInstant(value)];
        if (typeof value === 'string' && (key === 'id' || key === 'silenceID')) return [key, this.#nameOf(value)];
        // The order of these ids is promised nowhere.
        if (key === 'silencedBy' && Array.isArray(value))
          return [key, value.map((id) => this.#nameOf(String(id))).sort()];
        return [key, value];
      }),
    );
  }

  #nameOf(id: string): string {
    return this.#names.get(id) ?? `unknown id ${id}`;
  }
}

/** Silences are listed by one instant each; their order within one instant is not specified, so it is dropped. */
function orderTies(body: unknown): unknown {
  if (!Array.isArray(body) || !body.every((item) => isObject(item) && 'matchers' in item && isObject(item.status)))
    return body;
  const keyOf = ({ status, startsAt, endsAt }: JsonObject) => {
    const state = isObject(status) ? status.state : undefined;
    return `${state} ${state === 'pending' ? startsAt : endsAt}`;
  };
  const runs: JsonObject[][] = [];
  for (const silence of body) {
    const run = runs.at(-1);
    if (run?.[0] && keyOf(run[0]) === keyOf(silence)) run.push(silence);
    else runs.push([silence]);
  }
  return runs.flatMap((run) => run.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1)));
}

/** The methods in the text of a 405 come in no certain order. */
function orderMethods(body: unknown): unknown {
  if (!isObject(body) || body.code !== 405) return body;
  return {
    ...body,
    message: String(body.message).replace(/\[(.*)\]/, (_, list: string) => `[${list.split(',').sort()}]`),
  };
}

/** The request as a line for a shell, to be run against either server. */
export function asCurl({ method, path, headers = {}, body }: PlainRequest): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const flags = Object.entries(headers).map(([name, value]) => ` -H ${quote(`${name}: ${value}`)}`);
  return `curl -i -X ${method}${flags.join('')}${body === undefined ? '' : ` -d ${quote(String(body))}`} ${quote(`$URL${path}`)}`;
}
