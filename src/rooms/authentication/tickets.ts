import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { TicketAnswer } from '../contract/feed.ts';
import { type Caller, isCurrent } from '../domain/caller.ts';
import type { StateView } from '../domain/change.ts';
import type { Committed } from '../domain/event.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';

const LIFE_MS = 30_000;
/** Unused tickets of one user; the oldest is dropped. */
const MAX_PER_USER = 100;
const TICKET_BYTES = 24;

interface Ticket {
  readonly caller: Caller;
  readonly expiresAt: number;
}

const UNKNOWN = refuse(
  'unauthenticated',
  'the ticket is not known, used, or older than 30 s; get a new one from POST /api/event/ticket',
);

/** One-time tickets for streams, since a browser's EventSource sends no headers. */
export class Tickets {
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
    const secret = Buffer.from(this.#random(TICKET_BYTES)).toString('base64url');
    const ticket = `${Buffer.from(userId).toString('base64url')}.${secret}`;
    const expiresAt = this.#clock.now() + LIFE_MS;
    const issued = this.#tickets.get(userId) ?? new Map<string, Ticket>();
    this.#tickets.set(userId, issued.set(hashOf(ticket), { caller, expiresAt }));
    for (const [hash, { expiresAt }] of issued) {
      if (issued.size <= MAX_PER_USER && expiresAt > this.#clock.now()) break;
      issued.delete(hash);
    }
    return { ticket, expiresAt };
  }

  /** The caller that the ticket was issued to; only once. */
  redeem(text: string): Outcome<Caller> {
    const userId = Buffer.from(text.slice(0, text.indexOf('.')), 'base64url').toString();
    const issued = this.#tickets.get(userId);
    const hash = hashOf(text);
    const ticket = issued?.get(hash);
    if (!issued || !ticket) return UNKNOWN;
    issued.delete(hash);
    if (issued.size === 0) this.#tickets.delete(userId);
    const now = this.#clock.now();
    const { caller, expiresAt } = ticket;
    if (expiresAt <= now) return UNKNOWN;
    if (caller.expiresAt !== null && caller.expiresAt <= now) return refuse('token_expired', 'the token has expired');
    return isCurrent(this.#state, caller) ? accepted(caller) : UNKNOWN;
  }

  /** Revoking a token drops its tickets. A listener to commits. */
  follow(committed: readonly Committed[]): void {
    for (const { event } of committed) {
      if (event.type !== 'token.revoked') continue;
      const issued = this.#tickets.get(event.audience);
      for (const [hash, { caller }] of issued ?? []) if (caller.tokenId === event.tokenId) issued?.delete(hash);
    }
  }
}

const hashOf = (ticket: string): string => createHash('sha256').update(ticket).digest('hex');
