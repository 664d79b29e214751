import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpHandler } from '../../kernel/http/app.ts';
import type { Tickets } from '../authentication/tickets.ts';
import { printTicket } from '../contract/feed.ts';
import { type Cursor, readFeedQuery, readLogQuery, refuseSecrets } from '../contract/feed-query.ts';
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
  /** Learns what other nodes know of the log, if there are any; rejects with a StorageAwayError. */
  readonly refresh?: (() => Promise<void>) | undefined;
}

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
  return async (c, caller) => {
    const query = readFeedQuery((name) => c.req.query(name), c.req.header('last-event-id'));
    if (!query.ok) return answerRefusal(c, query);
    const { cursor } = query.value;
    await refreshBeforeReset(parts, cursor);
    const room = c.req.param('id');
    const only = findRooms(state, caller, room === undefined ? query.value.rooms : [room]);
    if (!only.ok) return answerRefusal(c, only);
    const outgoing = c.env?.outgoing as ServerResponse | undefined;
    if (!outgoing) throw new Error('a stream needs a connection');
    const { types, ephemeral } = query.value;
    const start = feed.resume(cursor);
    const refusal = feed.open(outgoing, { caller, only: only.value, types, ephemeral, start });
    return refusal ? answerRefusal(c, refusal) : RESPONSE_ALREADY_SENT;
  };
}

function readLog(parts: EventParts): CallerHandler {
  const { state, feed, log } = parts;
  return async (c, caller) => {
    const query = readLogQuery((name) => c.req.query(name), c.req.header('last-event-id'));
    if (!query.ok) return answerRefusal(c, query);
    const { cursor, rooms, types, limit, waitMs } = query.value;
    await refreshBeforeReset(parts, cursor);
    const only = findRooms(state, caller, rooms);
    if (!only.ok) return answerRefusal(c, only);
    const start = feed.resume(cursor);
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

/** A reset loses what another node has sent to the client: without PostgreSQL the request fails instead. */
async function refreshBeforeReset({ feed, refresh }: EventParts, cursor: Cursor | undefined): Promise<void> {
  if (refresh && feed.resume(cursor).reset !== null) await refresh();
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
