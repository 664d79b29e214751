import { type HttpContext, readBody } from '../../kernel/http.ts';
import { type BodyName, readJson } from '../contract/body.ts';
import type { Answers } from './answers.ts';

/** The largest body, in bytes: some 25,000 alerts, and far beyond what Prometheus sends at once. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

const MEDIA_TYPE = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;.*)?$/;

/** Answers 406 when the client takes no JSON; undefined when it does. */
export function refuseUnacceptable(c: HttpContext, answers: Answers): Response | undefined {
  const accept = c.req.header('accept');
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

/** The same, but the bytes have still to be parsed. */
export async function readJsonBytes(
  c: HttpContext,
  answers: Answers,
): Promise<{ readonly ok: true; readonly bytes: Buffer } | Refusal> {
  const hasBody = Number(c.req.header('content-length') ?? 0) > 0 || c.req.header('transfer-encoding') !== undefined;
  if (hasBody) {
    const header = c.req.header('content-type') || 'application/octet-stream';
    const type = MEDIA_TYPE.exec(header)?.[1]?.toLowerCase();
    if (type === undefined)
      return refuse(answers.refuse(c, 400, `cannot read the content type ${JSON.stringify(header)}`));
    if (type !== 'application/json') {
      const message = `unsupported media type ${JSON.stringify(type)}, only [application/json] are allowed`;
      return refuse(answers.refuseRequest(c, 415, message));
    }
  }
  const unacceptable = refuseUnacceptable(c, answers);
  if (unacceptable) return refuse(unacceptable);
  const body = await readBody(c, MAX_BODY_BYTES);
  if (!body.ok) {
    if (body.reason === 'aborted') return refuse(answers.refuse(c, 400, 'the request ended before its body did'));
    return refuse(
      answers.refuseRequest(c, 413, `the body is larger than ${MAX_BODY_BYTES} bytes; send fewer alerts at once`),
    );
  }
  return body;
}
