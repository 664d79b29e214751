import { type HttpContext, headerOf } from '../../kernel/http/app.ts';
import type { SlashCommands } from '../commands/slash-commands.ts';
import type { WirePage } from '../contract/message.ts';
import {
  DELETE_QUERY,
  editOf,
  PAGE_QUERY,
  type PageRequest,
  POST_MESSAGE,
  type PostMessage,
  PUT_MESSAGE,
  plainPost,
  postOf,
  printPage,
  wireEdit,
} from '../contract/message.ts';
import type { Caller } from '../domain/caller.ts';
import { unescapeCommand } from '../domain/command/line.ts';
import { messageEtag } from '../domain/etag.ts';
import type { StoredMessage } from '../domain/message/message.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { Post } from '../messages/messages.ts';
import type { MessageReader, ReadPage } from '../messages/reader.ts';
import type { MessageWriter } from '../messages/writer.ts';
import { answerCommand } from './actions.ts';
import { type AnswerHeaders, answer, answerJson, answerOutcome, answerRefusal } from './answer/answers.ts';
import { answerTagged, readIfMatch } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { checkBody, decodeText, readBytes, readJson } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { param, readQuery } from './request/query.ts';

export interface MessageRouteParts {
  readonly guard: GuardParts;
  readonly messages: MessageWriter;
  readonly reader: MessageReader;
  /** Runs slash commands; `undefined`: the text is no command, and is posted. */
  readonly commands: Pick<SlashCommands, 'handle'>;
  /** Of a message's text, in bytes. */
  readonly maxBodyBytes: number;
  readonly requireIfMatch: boolean;
  /** The current cursor of the stream: `<epoch>-<pos>`. */
  readonly cursor: () => string;
}

/** JSON may write each byte of the text as `\u00xx`; and there is a card. */
const wireLimit = (maxBodyBytes: number): number => maxBodyBytes * 6 + 256 * 1024;

/** `/api/message` and the messages of a room. */
export function messagePaths(parts: MessageRouteParts): Paths {
  const { guard } = parts;
  const post = admit(guard, { scope: 'write', limit: 'post' }, postMessage(parts));
  return {
    '/api/message': { POST: post },
    '/api/room/:id/message': {
      GET: admit(guard, { scope: 'read' }, listMessages(parts)),
      POST: post,
    },
    '/api/message/:id': {
      GET: admit(guard, { scope: 'read' }, getMessage(parts)),
      PUT: admit(guard, { scope: 'write', limit: 'edit' }, putMessage(parts)),
      DELETE: admit(guard, { scope: 'write', limit: 'edit' }, deleteMessage(parts)),
    },
    '/api/message/:id/history': {
      GET: admit(guard, { scope: 'read' }, listHistory(parts)),
    },
  };
}

function postMessage(parts: MessageRouteParts): CallerHandler {
  return async (c, caller) => {
    const room = c.req.param('id');
    const wire = await readPost(parts, c, room);
    const post = wire.ok ? placePost(wire.value, room) : wire;
    if (!post.ok) return answerRefusal(c, post);
    const busy = parts.guard.limits.takeRoom(caller, post.value.room);
    if (busy) return answerRefusal(c, busy);
    const command = parts.commands.handle(caller, post.value);
    if (command) return answerOutcome(c, await command, (done) => answerCommand(c, done));
    const posted = await parts.messages.post(caller, unescapePost(post.value));
    if (!posted.ok) return answerRefusal(c, posted);
    const { stored, replayed } = posted.value;
    const { id, version } = stored.message;
    const headers = { location: `/api/message/${id}`, etag: messageEtag(version) };
    if (!replayed) return answerJson(c, stored.json, 201, headers);
    const [json = ''] = await parts.reader.print(caller, [stored]);
    return answerJson(c, json, 200, { ...headers, 'idempotent-replay': 'true' });
  };
}

/** `room`: from the path. */
function readPost(
  { maxBodyBytes }: MessageRouteParts,
  c: HttpContext,
  room: string | undefined,
): Outcome<PostMessage> | Promise<Outcome<PostMessage>> {
  if (room === undefined) return readJson(c, POST_MESSAGE, wireLimit(maxBodyBytes));
  const isPlain = /^text\/plain *(;|$)/i.test(headerOf(c, 'content-type') ?? '');
  if (isPlain) return readPlain(c, maxBodyBytes);
  return readJson(c, POST_MESSAGE, wireLimit(maxBodyBytes), ', or the words alone with text/plain');
}

function placePost(wire: PostMessage, room: string | undefined): Outcome<Post> {
  const { roomId } = wire;
  if (room === undefined && roomId === undefined)
    return refuse('invalid_body', 'roomId: say into which room', { path: 'roomId' });
  if (room !== undefined && roomId !== undefined && room !== roomId)
    return refuse('invalid_body', `roomId: the path says ${room}`, { path: 'roomId' });
  return accepted(postOf(wire, room ?? roomId ?? ''));
}

function unescapePost(post: Post): Post {
  const body = unescapeCommand(post.body);
  return body === post.body ? post : { ...post, body };
}

async function readPlain(c: HttpContext, limit: number): Promise<Outcome<PostMessage>> {
  const bytes = await readBytes(c, limit);
  if (!bytes.ok) return bytes;
  const text = decodeText(bytes.value);
  return text.ok
    ? checkBody(
        plainPost(text.value, (name) => headerOf(c, name)),
        POST_MESSAGE,
      )
    : text;
}

function getMessage({ messages, reader }: MessageRouteParts): CallerHandler {
  return async (c, caller) => {
    const found = await messages.find(caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const [json = ''] = await reader.print(caller, [found.value]);
    return answerTagged(c, messageEtag(found.value.message.version), () => json);
  };
}

function putMessage(parts: MessageRouteParts): CallerHandler {
  return async (c, caller) => {
    const { messages, maxBodyBytes, requireIfMatch } = parts;
    const ifMatch = readIfMatch(c, requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const body = await readJson(c, PUT_MESSAGE, wireLimit(maxBodyBytes));
    if (!body.ok) return answerRefusal(c, body);
    return answerStored(
      parts,
      c,
      caller,
      await messages.edit(caller, param(c, 'id'), editOf(body.value), ifMatch.value),
    );
  };
}

function deleteMessage(parts: MessageRouteParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, parts.requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const query = readQuery(c, DELETE_QUERY);
    if (!query.ok) return answerRefusal(c, query);
    const options = { reason: query.value.reason, ifMatch: ifMatch.value };
    return answerStored(parts, c, caller, await parts.messages.remove(caller, param(c, 'id'), options));
  };
}

/** Answers with a message as the caller sees it. */
export async function answerStored(
  { reader }: Pick<MessageRouteParts, 'reader'>,
  c: HttpContext,
  caller: Caller,
  outcome: Outcome<StoredMessage>,
): Promise<Response> {
  if (!outcome.ok) return answerRefusal(c, outcome);
  const [json = ''] = await reader.print(caller, [outcome.value]);
  return answerJson(c, json, 200, { etag: messageEtag(outcome.value.message.version) });
}

function listHistory({ reader }: MessageRouteParts): CallerHandler {
  return async (c, caller) => {
    const history = await reader.history(caller, param(c, 'id'));
    return answerOutcome(c, history, (edits) => answer(c, { history: edits.map(wireEdit) }));
  };
}

function listMessages({ reader, cursor }: MessageRouteParts): CallerHandler {
  return async (c, caller) => {
    const query = readQuery(c, PAGE_QUERY);
    if (!query.ok) return answerRefusal(c, query);
    // Taken before the page is read, so that a stream from there overlaps with it.
    const from = cursor();
    const page = await reader.page(caller, param(c, 'id'), query.value);
    return answerOutcome(c, page, ({ messages, ...facts }) => {
      const json = printPage<WirePage>(messages, { ...facts, cursor: from });
      return answerJson(c, json, 200, linksOf(c, query.value, facts));
    });
  };
}

/** RFC 8288: links to the neighbouring pages. */
function linksOf(c: HttpContext, query: PageRequest, page: Omit<ReadPage, 'messages'>): AnswerHeaders {
  const { before: _b, after: _a, around: _c, ...rest } = query;
  const links: string[] = [];
  const add = (relation: string, place: Record<string, number>) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...rest, ...place })) query.set(name, String(value));
    links.push(`<${encodeURI(c.req.path)}?${query}>; rel="${relation}"`);
  };
  if (page.hasBefore && page.firstSeq > 0) add('prev', { before: page.firstSeq });
  if (page.hasAfter && page.lastSeq > 0) add('next', { after: page.lastSeq });
  return links.length === 0 ? {} : { link: links.join(', ') };
}
