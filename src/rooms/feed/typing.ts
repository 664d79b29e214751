import type { Clock } from '../../kernel/clock.ts';
import { printTyping } from '../contract/feed.ts';
import { findRoom, requireWriter } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { StateView } from '../domain/change.ts';
import { accepted, type Outcome } from '../domain/refusal.ts';
import type { Announcer } from './live.ts';

/** Clients repeat the event earlier while typing continues. */
const LIFE_MS = 6000;

export interface TypingParts {
  readonly state: StateView;
  readonly clock: Clock;
  readonly announcer: Announcer;
}

/** Notifies a room that the caller is typing. */
export function announceTyping(
  { state, clock, announcer }: TypingParts,
  caller: Caller,
  idOrSlug: string,
): Outcome<null> {
  const found = findRoom(state, caller, idOrSlug);
  if (!found.ok) return found;
  const now = clock.now();
  const refusal = requireWriter(found.value, caller, now);
  if (refusal) return refusal;
  const { room } = found.value;
  announcer.announce({ type: 'typing', roomId: room.id, data: printTyping(room.id, caller.user, now + LIFE_MS) });
  return accepted(null);
}
