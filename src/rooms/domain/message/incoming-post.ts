import type { IncomingKind } from '../hook/hook.ts';
import { flattenSlack, isSlackPayload } from '../hook/slack.ts';
import { accepted, type Outcome, refuse } from '../refusal.ts';
import type { JsonObject, JsonValue } from './message.ts';

/** A post to an incoming hook, read into a message. */
export interface IncomingPost {
  readonly body: string;
  readonly format: 'markdown' | 'plain';
  readonly id?: string;
  readonly threadId?: string;
  readonly card?: JsonObject;
  readonly silent?: boolean;
}

/** A body: text, or parsed JSON. */
export type IncomingBody =
  | { readonly form: 'text'; readonly text: string }
  | {
      readonly form: 'json';
      readonly json: JsonValue;
      /** The request is one of Slack's clients, by its user agent or form field. */
      readonly isSlackRequest?: boolean;
    };

/** The kind of a body, by the fields of Alertmanager's and Slack's payloads, and by the way in which Slack's are sent. */
export function guessKind(body: IncomingBody): Exclude<IncomingKind, 'auto'> {
  if (body.form === 'text') return 'text';
  const { json } = body;
  if (!isObject(json)) return 'json';
  if ('groupKey' in json && 'alerts' in json) return 'alertmanager';
  return isSlackPayload(json, body.isSlackRequest) ? 'slack' : 'json';
}

/** Reads a body of any kind but `alertmanager`, which becomes a card. */
export function readIncomingPost(
  body: IncomingBody,
  kind: Exclude<IncomingKind, 'auto' | 'alertmanager'>,
): Outcome<IncomingPost> {
  if (kind === 'text') return readText(body);
  if (body.form === 'text') return refuse('invalid_body', `this hook takes JSON of the kind ${kind}`);
  return kind === 'slack' ? readSlack(body.json) : readJsonPost(body.json);
}

function readText(body: IncomingBody): Outcome<IncomingPost> {
  if (body.form === 'json') return refuse('invalid_body', 'this hook takes plain text; send Content-Type: text/plain');
  // The line end at the end of a program's output is dropped.
  return withBody({ body: body.text.trimEnd(), format: 'plain' });
}

function readSlack(json: JsonValue): Outcome<IncomingPost> {
  return withBody({ body: flattenSlack(json), format: 'markdown' });
}

const FIELDS = ['text', 'body', 'id', 'threadId', 'card', 'silent', 'format'];

function readJsonPost(json: JsonValue): Outcome<IncomingPost> {
  if (!isObject(json)) return refuse('invalid_body', 'send an object such as {"text": "deploy done"}');
  const unknown = Object.keys(json).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined)
    return refuse('unknown_field', `unknown field ${unknown}; there are ${FIELDS.join(', ')}`, { path: unknown });
  const { text, body = text, id, threadId, card, silent, format = 'markdown' } = json;
  if (typeof body !== 'string') return refuse('invalid_body', 'text (or body): a text is missing', { path: 'text' });
  if (id !== undefined && typeof id !== 'string') return mistyped('id', 'a text');
  if (threadId !== undefined && typeof threadId !== 'string') return mistyped('threadId', 'a text');
  if (card !== undefined && !isObject(card)) return mistyped('card', 'an object');
  if (silent !== undefined && typeof silent !== 'boolean') return mistyped('silent', 'true or false');
  if (format !== 'markdown' && format !== 'plain') return mistyped('format', '"markdown" or "plain"');
  return withBody({
    body,
    format,
    ...(id === undefined ? {} : { id }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(card === undefined ? {} : { card }),
    ...(silent === undefined ? {} : { silent }),
  });
}

const mistyped = (path: string, what: string) => refuse('invalid_body', `${path}: must be ${what}`, { path });

function withBody(post: IncomingPost): Outcome<IncomingPost> {
  return post.body.trim() === '' ? refuse('invalid_body', 'there is no text to post') : accepted(post);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
