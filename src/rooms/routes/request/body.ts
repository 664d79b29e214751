import * as v from 'valibot';
import { type BodyRead, type HttpContext, headerOf, readBody } from '../../../kernel/http/app.ts';
import { takeBody } from '../../../kernel/http/body-chunks.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../../domain/refusal.ts';
import { answerRefusal } from '../answer/answers.ts';
import { refusedSince } from './guard.ts';

const JSON_TYPE = 'application/json';

/** Bodies read before their handler asked for them. */
const held = new WeakMap<HttpContext, Buffer>();

/** Reads a body that the request's handler will read again. */
export async function readAhead(c: HttpContext, limit: number): Promise<Outcome<Buffer>> {
  const body = await readBytes(c, limit);
  if (body.ok) held.set(c, body.value);
  return body;
}

/**
 * Reads a JSON object of at most `limit` bytes by a schema, synchronously if the body has arrived; the refusal names
 * the first invalid part. `otherwise`: what else may be sent, for the refusal.
 */
export function readJson<S extends v.GenericSchema>(
  c: HttpContext,
  schema: S,
  limit: number,
  otherwise = '',
): Outcome<v.InferOutput<S>> | Promise<Outcome<v.InferOutput<S>>> {
  const type = mediaType(headerOf(c, 'content-type') ?? '');
  if (type !== JSON_TYPE && !type.endsWith('+json'))
    return refuse(
      'unsupported_media_type',
      `send JSON with Content-Type: application/json${otherwise}${type === '' ? '' : `, not ${type}`}`,
    );
  const bytes = readBytes(c, limit);
  return bytes instanceof Promise ? bytes.then((read) => readObject(read, schema)) : readObject(bytes, schema);
}

function readObject<S extends v.GenericSchema>(bytes: Outcome<Buffer>, schema: S): Outcome<v.InferOutput<S>> {
  if (!bytes.ok) return bytes;
  const json = parseJson(bytes.value);
  if (!json.ok) return json;
  const { value } = json;
  // Valibot would accept a list as an object without fields.
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('invalid_body', 'the body must be a JSON object');
  return checkBody(value, schema);
}

/** A fast path for the usual spelling. */
function mediaType(header: string): string {
  return header === JSON_TYPE ? header : (header.split(';')[0] ?? '').trim().toLowerCase();
}

/** Reads a body of at most `limit` bytes, synchronously if it has arrived. */
export function readBytes(c: HttpContext, limit: number): Outcome<Buffer> | Promise<Outcome<Buffer>> {
  const known = held.get(c);
  if (known) return known.length <= limit ? accepted(known) : tooLarge(limit);
  const body = readBody(c, limit);
  return body instanceof Promise ? readSlowly(c, body, limit) : bytesOf(body, limit);
}

async function readSlowly(c: HttpContext, body: Promise<BodyRead>, limit: number): Promise<Outcome<Buffer>> {
  const bytes = bytesOf(await body, limit);
  return (await refusedSince(c)) ?? bytes;
}

/**
 * As `takeBody`; if the sender loses its access while the body arrives, it is refused, and `take` sees a broken body.
 */
export async function takeChunks(
  c: HttpContext,
  take: (chunks: AsyncIterable<Uint8Array>) => Promise<Response>,
): Promise<Response> {
  let refusal: Refusal | undefined;
  const check = async () => {
    refusal = await refusedSince(c);
    if (refusal) throw new Error(refusal.reason);
  };
  async function* watched(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      await check();
      yield chunk;
    }
    await check();
  }
  const answer = await takeBody(c, (chunks) => take(watched(chunks)));
  return refusal ? answerRefusal(c, refusal) : answer;
}

function bytesOf(body: BodyRead, limit: number): Outcome<Buffer> {
  if (body.ok) return accepted(body.bytes);
  return body.reason === 'aborted' ? refuse('invalid_body', 'the body broke off') : tooLarge(limit);
}

const tooLarge = (limit: number): Refusal => refuse('too_large', `the body is larger than ${limit} bytes`);

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Strict UTF-8: other bytes would be stored changed. */
export function decodeText(bytes: Uint8Array): Outcome<string> {
  try {
    return accepted(UTF_8.decode(bytes));
  } catch {
    return refuse('invalid_body', 'the body is not UTF-8');
  }
}

function parseJson(bytes: Uint8Array): Outcome<unknown> {
  const text = decodeText(bytes);
  if (!text.ok) return text;
  try {
    return accepted(JSON.parse(text.value) as unknown);
  } catch (error) {
    return refuse('invalid_json', `the body is not JSON: ${(error as Error).message}`);
  }
}

/** Checks a parsed value. */
export function checkBody<S extends v.GenericSchema>(value: unknown, schema: S): Outcome<v.InferOutput<S>> {
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  return parsed.success ? accepted(parsed.output) : refuseIssue(parsed.issues[0]);
}

function refuseIssue(issue: v.BaseIssue<unknown>): Refusal {
  const path = v.getDotPath(issue) ?? '';
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return refuse('unknown_field', `unknown field ${path}`, { path });
  return refuse('invalid_body', path === '' ? issue.message : `${path}: ${issue.message}`, { path });
}
