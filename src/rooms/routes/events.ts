import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpHandler } from '../../kernel/http/app.ts';
import type { Tickets } from '../authentication/tickets.ts';
import { printTicket } from '../contract/feed.ts';
import { readFeedQuery, readLogQuery, refuseSecrets } from '../contract/feed-query.ts';
import { findRoom } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { StateView } from '../domain/change.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../domain/refusal.ts';
import type { EventLog } from '../feed/event-log.ts';
import type { RoomFeed, Start } from '../feed/room-feed.ts';
import { answerJson, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';

export interface EventParts {
  readonly guard: GuardParts;
  readonly state: StateView;
  readonly feed: RoomFeed;
  readonly log: EventLog;
  readonly tickets: Tickets;
  /** Whether other nodes may know more of the log. */
  readonly isAway?: () => boolean;
}

const CANNOT_RESUME = refuse(
  'storage_unavailable',
  'PostgreSQL is away, and without it this server does not know the cursor; try again in a moment',
  { retryAfterS: 2 },
);

/** The events of rooms: as streams, and as a log for clients that cannot keep one open. */
export function eventPaths(parts: EventParts): Paths {
  return {
    '/api/event': { GET: admitStream(parts, openStream(parts)) },
    '/api/event/log': { GET: admitStream(parts, readLog(parts)) },
    '/api/event/ticket': { POST: admit(parts.guard, { scope: 'read' }, issueTicket(parts)) },
    '/api/room/:id/event': { GET: admitStream(parts, openStream(parts)) },
  };
}

/** Admits by a ticket in the query, or as any other path does. */
function admitStream({ guard, tickets }: EventParts, handle: CallerHandler): HttpHandler {
  const admitted = admit(guard, { scope: 'read' }, handle);
  return async (c, next) => {
    const refusal = refuseSecrets(c.req.query());
    if (refusal) return answerRefusal(c, refusal);
    const ticket = c.req.query('ticket');
    if (ticket === undefined) return admitted(c, next);
    const caller = await tickets.redeem(ticket);
    return caller.ok ? handle(c, caller.value) : answerRefusal(c, caller);
  };
}

function issueTicket({ tickets }: EventParts): CallerHandler {
  return async (c, caller) => answerJson(c, printTicket(await tickets.issue(caller)), 201);
}

/** The stream of one room where the path names it, else of the rooms in the query. */
function openStream(parts: EventParts): CallerHandler {
  const { state, feed } = parts;
  return (c, caller) => {
    const query = readFeedQuery((name) => c.req.query(name), c.req.header('last-event-id'));
    if (!query.ok) return answerRefusal(c, query);
    const room = c.req.param('id');
    const only = findRooms(state, caller, room === undefined ? query.value.rooms : [room]);
    if (!only.ok) return answerRefusal(c, only);
    const outgoing = c.env?.outgoing as ServerResponse | undefined;
    if (!outgoing) throw new Error('a stream needs a connection');
    const { types, ephemeral, cursor } = query.value;
    const start = feed.resume(cursor);
    const request = { caller, only: only.value, types, ephemeral, start };
    const refusal = refuseStart(parts, start) ?? feed.open(outgoing, request);
    return refusal ? answerRefusal(c, refusal) : RESPONSE_ALREADY_SENT;
  };
}

function readLog(parts: EventParts): CallerHandler {
  const { state, feed, log } = parts;
  return async (c, caller) => {
    const query = readLogQuery((name) => c.req.query(name), c.req.header('last-event-id'));
    if (!query.ok) return answerRefusal(c, query);
    const { cursor, rooms, types, limit, waitMs } = query.value;
    const only = findRooms(state, caller, rooms);
    if (!only.ok) return answerRefusal(c, only);
    const start = feed.resume(cursor);
    const refusal = refuseStart(parts, start);
    if (refusal) return answerRefusal(c, refusal);
    const answer = await log.read({
      caller,
      only: only.value,
      types,
      limit,
      waitMs,
      start,
      onGone: (gone) => c.env?.outgoing?.once('close', gone),
    });
    return answer.ok ? answerJson(c, answer.value) : answerRefusal(c, answer);
  };
}

/** A reset would lose what another node has told the client. */
function refuseStart({ isAway }: EventParts, { reset }: Start): Refusal | undefined {
  return reset !== null && isAway?.() ? CANNOT_RESUME : undefined;
}

/** The ids of rooms; one that the caller may not read refuses the whole request. */
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
