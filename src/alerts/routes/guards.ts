import { goOn, type HttpContext, headerOf, readBody } from '../../kernel/http/app.ts';
import { type BodyName, readJson } from '../contract/body.ts';
import type { Answers } from './answers.ts';

/** Maximum body in bytes: some 25,000 alerts, far more than Prometheus sends at once. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

const JSON_TYPE = 'application/json';
const MEDIA_TYPE = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;.*)?$/;

/** Answers 406 when the client does not accept JSON; otherwise undefined. */
export function refuseUnacceptable(c: HttpContext, answers: Answers): Response | undefined {
  const accept = headerOf(c, 'accept');
  if (accept === undefined || accept.trim() === '' || accept.split(',').some(takesJson)) return undefined;
  return answers.refuseRequest(c, 406, 'unsupported media type requested, only [application/json] are available');
}

function takesJson(range: string): boolean {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) return false;
  return type === '*/*' || type === 'application/*' || type === 'application/json';
}

interface Refusal {
  readonly ok: false;
  readonly response: Response;
}

const refuse = (response: Response): Refusal => ({ ok: false, response });

/** Reads the JSON body of a POST, or answers 415, 406, 413 or 400 in this order. */
export async function readJsonBody(
  c: HttpContext,
  answers: Answers,
  name: BodyName,
): Promise<{ readonly ok: true; readonly value: unknown } | Refusal> {
  const body = await readJsonBytes(c, answers);
  if (!body.ok) return body;
  const json = readJson(body.bytes, name);
  return json.ok ? json : refuse(answers.refuse(c, 400, json.reason));
}

type BytesRead = { readonly ok: true; readonly bytes: Buffer } | Refusal;

/** The same without parsing; synchronous when the whole body has arrived. */
export function readJsonBytes(c: HttpContext, answers: Answers): BytesRead | Promise<BytesRead> {
  const refusal = refuseMediaType(c, answers) ?? refuseUnacceptable(c, answers);
  if (refusal) return refuse(refusal);
  return goOn(readBody(c, MAX_BODY_BYTES), (body): BytesRead => {
    if (body.ok) return body;
    if (body.reason === 'aborted') return refuse(answers.refuse(c, 400, 'the request ended before its body did'));
    return refuse(
      answers.refuseRequest(c, 413, `the body is larger than ${MAX_BODY_BYTES} bytes; send fewer alerts at once`),
    );
  });
}

function refuseMediaType(c: HttpContext, answers: Answers): Response | undefined {
  const hasBody = Number(headerOf(c, 'content-length') ?? 0) > 0 || headerOf(c, 'transfer-encoding') !== undefined;
  if (!hasBody) return undefined;
  const header = headerOf(c, 'content-type') || 'application/octet-stream';
  if (header === JSON_TYPE) return undefined;
  const type = MEDIA_TYPE.exec(header)?.[1]?.toLowerCase();
  if (type === undefined) return answers.refuse(c, 400, `cannot read the content type ${JSON.stringify(header)}`);
  if (type === JSON_TYPE) return undefined;
  const message = `unsupported media type ${JSON.stringify(type)}, only [${JSON_TYPE}] are allowed`;
  return answers.refuseRequest(c, 415, message);
}
