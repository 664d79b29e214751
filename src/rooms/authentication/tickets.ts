import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { TicketAnswer } from '../contract/feed.ts';
import { type Caller, isCurrent } from '../domain/caller.ts';
import type { StateView } from '../domain/change.ts';
import type { Committed } from '../domain/event.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';

const LIFE_MS = 30_000;
/** Unused tickets of one user; the oldest is dropped. */
export const MAX_TICKETS = 100;
const TICKET_BYTES = 24;

const UNKNOWN = refuse(
  'unauthenticated',
  'the ticket is not known, used, or older than 30 s; get a new one from POST /api/event/ticket',
);

/** One-time tickets for streams, since a browser's EventSource sends no headers. */
export interface Tickets {
  issue(caller: Caller): TicketAnswer | Promise<TicketAnswer>;
  /** The caller that the ticket was issued to; only once. */
  redeem(text: string): Outcome<Caller> | Promise<Outcome<Caller>>;
  /** A listener to commits. */
  follow?(committed: readonly Committed[]): void;
}

/** An unused ticket. */
export interface Ticket {
  readonly caller: Caller;
  readonly expiresAt: number;
}

/** A new ticket; only its hash is kept. */
export function makeTicket(
  { user }: Caller,
  now: number,
  random: (size: number) => Uint8Array,
): TicketAnswer & { readonly hash: string } {
  const secret = Buffer.from(random(TICKET_BYTES)).toString('base64url');
  const ticket = `${Buffer.from(user.id).toString('base64url')}.${secret}`;
  return { ticket, expiresAt: now + LIFE_MS, hash: hashOfTicket(ticket) };
}

export const hashOfTicket = (ticket: string): string => createHash('sha256').update(ticket).digest('hex');

/** The caller of a ticket that is used now; `undefined`: it is not known. */
export function callerOfTicket(ticket: Ticket | undefined, state: StateView, now: number): Outcome<Caller> {
  if (!ticket || ticket.expiresAt <= now) return UNKNOWN;
  const { caller } = ticket;
  if (caller.expiresAt !== null && caller.expiresAt <= now) return refuse('token_expired', 'the token has expired');
  return isCurrent(state, caller) ? accepted(caller) : UNKNOWN;
}

/** The tickets of a single node. */
export class MemoryTickets implements Tickets {
  readonly #clock: Clock;
  readonly #state: StateView;
  readonly #random: (size: number) => Uint8Array;
  /** By user, by hash, the oldest first. */
  readonly #tickets = new Map<string, Map<string, Ticket>>();

  constructor(parts: {
    readonly clock: Clock;
    readonly state: StateView;
    readonly random: (size: number) => Uint8Array;
  }) {
    this.#clock = parts.clock;
    this.#state = parts.state;
    this.#random = parts.random;
  }

  issue(caller: Caller): TicketAnswer {
    const userId = caller.user.id;
    const now = this.#clock.now();
    const { hash, ...answer } = makeTicket(caller, now, this.#random);
    const issued = this.#tickets.get(userId) ?? new Map<string, Ticket>();
    this.#tickets.set(userId, issued.set(hash, { caller, expiresAt: answer.expiresAt }));
    for (const [hash, { expiresAt }] of issued) {
      if (issued.size <= MAX_TICKETS && expiresAt > now) break;
      issued.delete(hash);
    }
    return answer;
  }

  redeem(text: string): Outcome<Caller> {
    const userId = Buffer.from(text.slice(0, text.indexOf('.')), 'base64url').toString();
    const issued = this.#tickets.get(userId);
    const hash = hashOfTicket(text);
    const ticket = issued?.get(hash);
    issued?.delete(hash);
    if (issued?.size === 0) this.#tickets.delete(userId);
    return callerOfTicket(ticket, this.#state, this.#clock.now());
  }

  /** Revoking a token drops its tickets. */
  follow(committed: readonly Committed[]): void {
    for (const { event } of committed) {
      if (event.type !== 'token.revoked') continue;
      const issued = this.#tickets.get(event.audience);
      for (const [hash, { caller }] of issued ?? []) if (caller.tokenId === event.tokenId) issued?.delete(hash);
    }
  }
}
