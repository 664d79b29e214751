import { createHmac, timingSafeEqual } from 'node:crypto';
import { type HttpContext, readBody } from '../../kernel/http/app.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { BAD_BASE64, BAD_CONTEXT, BAD_HASH, BODY_UNREADABLE, NOT_JSON } from '../contract/refusal.ts';
import type { Context } from '../domain/context/context.ts';
import { readContextText } from '../domain/context/json.ts';
import type { Access } from './access.ts';
import { refuse, refusePlainly, refuseSilently } from './answers.ts';

/** Reads the context of a request: from the path, or from the body of a REPORT. A Response is its refusal. */
export async function readRequestContext(
  c: HttpContext,
  access: Access,
  maxBodyBytes: number,
): Promise<Context | Response> {
  const context = c.req.method === 'REPORT' ? await readReported(c, access, maxBodyBytes) : readPath(c, access);
  if (context instanceof Response || isTrusted(c, access, context)) return context;
  return refuse(c, 400, BAD_HASH, access.headers);
}

function readPath(c: HttpContext, { headers }: Access): Context | Response {
  const json = decodeBase64url(c.req.param('context') ?? '');
  if (!json.ok) return refuse(c, 400, BAD_BASE64, headers);
  const context = readContextText(json.value);
  return context.ok ? context.value : refuse(c, 400, BAD_CONTEXT, headers);
}

async function readReported(c: HttpContext, { headers }: Access, maxBodyBytes: number): Promise<Context | Response> {
  const [type] = (c.req.header('content-type') ?? '').split(';', 1);
  if (type?.trim().toLowerCase() !== 'application/json') return refusePlainly(c, 415, NOT_JSON, headers);
  const body = await readBody(c, maxBodyBytes);
  if (!body.ok) {
    return body.reason === 'too large' ? refuseSilently(c, 413, headers) : refuse(c, 400, BODY_UNREADABLE, headers);
  }
  const context = readContextText(body.bytes.toString('utf8'));
  return context.ok ? context.value : refuse(c, 400, context.reason, headers);
}

/** Base64url, with or without padding; refuses plain base64 and impossible lengths. */
export function decodeBase64url(encoded: string): Outcome<string> {
  const bare = encoded.replace(/={1,2}$/, '');
  if (!/^[\w-]*$/.test(bare) || bare.length % 4 === 1) return refused('not base64url');
  return accepted(Buffer.from(bare, 'base64url').toString('utf8'));
}

/** In secure mode a browser must send the HMAC of the context, signed with the SDK key. */
export function isTrusted(c: HttpContext, { environment, sdkKind }: Access, context: Context): boolean {
  const { secureMode, sdkKey } = environment.options;
  if (sdkKind !== 'client' || !secureMode) return true;
  const expected = Buffer.from(createHmac('sha256', sdkKey).update(context.fullyQualifiedKey).digest('hex'));
  const shown = Buffer.from(c.req.query('h') ?? '');
  return shown.length === expected.length && timingSafeEqual(shown, expected);
}
