import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpContext, HttpHandler } from '../../kernel/http/app.ts';
import type { Tickets } from '../authentication/tickets.ts';
import { printTicket } from '../contract/feed.ts';
import { readFeedQuery, readLogQuery, refuseSecrets } from '../contract/feed-query.ts';
import { findRoom } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { StateView } from '../domain/change.ts';
import { accepted, type Outcome } from '../domain/refusal.ts';
import type { EventLog } from '../feed/event-log.ts';
import type { RoomFeed } from '../feed/room-feed.ts';
import { answerJson, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';

export interface EventParts {
  readonly guard: GuardParts;
  readonly state: StateView;
  readonly feed: RoomFeed;
  readonly log: EventLog;
  readonly tickets: Tickets;
}

/** What happens in rooms: as streams, and for those who cannot keep one open. */
export function eventPaths(parts: EventParts): Paths {
  const { guard, tickets } = parts;
  const stream: CallerHandler = (c, caller) => openStream(c, caller, parts, null);
  const streamRoom: CallerHandler = (c, caller) => openStream(c, caller, parts, c.req.param('id') ?? '');
  return {
    '/api/event': { GET: admitStream(parts, stream) },
    '/api/event/log': { GET: admitStream(parts, (c, caller) => readLog(c, caller, parts)) },
    '/api/event/ticket': {
      POST: admit(guard, { scope: 'read' }, (c, caller) => answerJson(c, printTicket(tickets.issue(caller)), 201)),
    },
    '/api/room/:id/event': { GET: admitStream(parts, streamRoom) },
  };
}

/** Lets in by a ticket, or as everywhere else. */
function admitStream({ guard, tickets }: EventParts, handle: CallerHandler): HttpHandler {
  const admitted = admit(guard, { scope: 'read' }, handle);
  return (c, next) => {
    const refusal = refuseSecrets(c.req.query());
    if (refusal) return answerRefusal(c, refusal);
    const ticket = c.req.query('ticket');
    if (ticket === undefined) return admitted(c, next);
    const caller = tickets.redeem(ticket);
    return caller.ok ? handle(c, caller.value) : answerRefusal(c, caller);
  };
}

function openStream(c: HttpContext, caller: Caller, { state, feed }: EventParts, room: string | null): Response {
  const query = readFeedQuery((name) => c.req.query(name), c.req.header('last-event-id'));
  if (!query.ok) return answerRefusal(c, query);
  const only = findRooms(state, caller, room === null ? query.value.rooms : [room]);
  if (!only.ok) return answerRefusal(c, only);
  const outgoing = c.env?.outgoing as ServerResponse | undefined;
  if (!outgoing) throw new Error('a stream needs a connection');
  const { types, ephemeral, cursor } = query.value;
  const request = { caller, only: only.value, types, ephemeral, start: feed.resume(cursor) };
  const refusal = feed.open(outgoing, request);
  return refusal ? answerRefusal(c, refusal) : RESPONSE_ALREADY_SENT;
}

async function readLog(c: HttpContext, caller: Caller, { state, feed, log }: EventParts): Promise<Response> {
  const query = readLogQuery((name) => c.req.query(name), c.req.header('last-event-id'));
  if (!query.ok) return answerRefusal(c, query);
  const { cursor, rooms, types, limit, waitMs } = query.value;
  const only = findRooms(state, caller, rooms);
  if (!only.ok) return answerRefusal(c, only);
  const answer = await log.read({
    caller,
    only: only.value,
    types,
    limit,
    waitMs,
    start: feed.resume(cursor),
    onGone: (gone) => c.env?.outgoing?.once('close', gone),
  });
  return answer.ok ? answerJson(c, answer.value) : answerRefusal(c, answer);
}

/** Their ids; the first that the caller may not read refuses all of it. */
function findRooms(
  state: StateView,
  caller: Caller,
  rooms: readonly string[] | null,
): Outcome<readonly string[] | null> {
  if (rooms === null) return accepted(null);
  const ids = new Set<string>();
  for (const idOrSlug of rooms) {
    const found = findRoom(state, caller, idOrSlug);
    if (!found.ok) return found;
    ids.add(found.value.room.id);
  }
  return accepted([...ids]);
}
