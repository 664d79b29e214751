import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { encodeText } from '../../kernel/postgres/text.ts';
import { renewCaller } from '../authentication/caller-renewal.ts';
import { callerOfTicket, hashOfTicket, MAX_TICKETS, makeTicket, type Tickets } from '../authentication/tickets.ts';
import type { TicketAnswer } from '../contract/feed.ts';
import type { Caller } from '../domain/caller.ts';
import type { Outcome } from '../domain/refusal.ts';
import type { RoomState } from '../room/state.ts';

export interface SharedTicketsParts {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly state: RoomState;
}

/** Drops expired tickets, and the oldest of a user who has too many. */
const ISSUE = `
  WITH dropped AS (
    DELETE FROM opsdeck.room_ticket WHERE expires_at <= $5 OR hash IN (
      SELECT hash FROM opsdeck.room_ticket WHERE user_id = $2 ORDER BY expires_at DESC, hash OFFSET $6
    )
  )
  INSERT INTO opsdeck.room_ticket (hash, user_id, expires_at, caller) VALUES ($1, $2, $3, $4)`;

/** Of two nodes that try at once, one finds the row. */
const REDEEM = 'DELETE FROM opsdeck.room_ticket WHERE hash = $1 RETURNING expires_at AS "expiresAt", caller';

/** Tickets that any node redeems. */
export class SharedTickets implements Tickets {
  readonly #parts: SharedTicketsParts;

  constructor(parts: SharedTicketsParts) {
    this.#parts = parts;
  }

  async issue(caller: Caller): Promise<TicketAnswer> {
    const { postgres, clock } = this.#parts;
    const now = clock.now();
    const { hash, ...answer } = makeTicket(caller, now, randomBytes);
    const values = [hash, encodeText(caller.user.id), answer.expiresAt, printCaller(caller), now, MAX_TICKETS - 1];
    await postgres.query(ISSUE, values);
    return answer;
  }

  async redeem(text: string): Promise<Outcome<Caller>> {
    const { postgres, clock, state } = this.#parts;
    const [row] = await postgres.query<{ expiresAt: number; caller: string }>(REDEEM, [hashOfTicket(text)]);
    const now = clock.now();
    const caller = row && readCaller(row.caller);
    // Unlike in memory, a ticket outlives the revocation of its token.
    const isValid = caller && (caller.tokenId === null || renewCaller(state, caller, now) !== undefined);
    return callerOfTicket(isValid ? { caller, expiresAt: row.expiresAt } : undefined, state, now);
  }
}

function printCaller(caller: Caller): string {
  return JSON.stringify({ ...caller, scopes: [...caller.scopes], roomIds: caller.roomIds && [...caller.roomIds] });
}

function readCaller(text: string): Caller {
  const { scopes, roomIds, ...caller } = JSON.parse(text);
  return { ...caller, scopes: new Set(scopes), roomIds: roomIds && new Set(roomIds) };
}
