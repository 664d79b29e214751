import { goOn, type HttpContext, headerOf, readBody } from '../../kernel/http/app.ts';
import { accepted, type Outcome } from '../../kernel/outcome.ts';
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

/** A body, or the response that refuses it. */
type Body<T> = Outcome<T, { readonly response: Response }>;

const refuse = (response: Response) => ({ ok: false, response }) as const;

/** Reads the JSON body of a POST, or answers 415, 406, 413 or 400 in this order. */
export async function readJsonBody(c: HttpContext, answers: Answers, name: BodyName): Promise<Body<unknown>> {
  const body = await readJsonBytes(c, answers);
  if (!body.ok) return body;
  const json = readJson(body.value, name);
  return json.ok ? json : refuse(answers.refuse(c, 400, json.reason));
}

/** The same without parsing; synchronous when the whole body has arrived. */
export function readJsonBytes(c: HttpContext, answers: Answers): Body<Buffer> | Promise<Body<Buffer>> {
  const refusal = refuseMediaType(c, answers) ?? refuseUnacceptable(c, answers);
  if (refusal) return refuse(refusal);
  return goOn(readBody(c, MAX_BODY_BYTES), (body): Body<Buffer> => {
    if (body.ok) return accepted(body.bytes);
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
