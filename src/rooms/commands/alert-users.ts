import type { Clock } from '../../kernel/clock.ts';
import { renewCaller } from '../authentication/caller-renewal.ts';
import { findRoom, requireWriter } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import { type AlertRooms, requireAlertUser } from '../domain/card/alert-access.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { RoomState } from '../room/state.ts';

export interface AlertUsersParts {
  readonly state: RoomState;
  readonly alertRooms: AlertRooms;
  readonly clock: Clock;
}

/** Says who may use the alert server now, from which room. */
export class AlertUsers {
  readonly #parts: AlertUsersParts;

  constructor(parts: AlertUsersParts) {
    this.#parts = parts;
  }

  /** `caller` may be of some time ago. */
  refusalOf(caller: Caller, roomId: string): Refusal | undefined {
    const { state, alertRooms, clock } = this.#parts;
    const now = clock.now();
    const renewed = renewCaller(state, caller, now);
    if (!renewed) return refuse('unauthenticated', 'the token was revoked, or its user disabled');
    const found = findRoom(state, renewed, roomId);
    if (!found.ok) return found;
    return requireWriter(found.value, renewed, now) ?? requireAlertUser(renewed, found.value, alertRooms);
  }
}
