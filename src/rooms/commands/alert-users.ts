import type { Clock } from '../../kernel/clock.ts';
import type { AlertsClient } from '../alerts-client.ts';
import { renewCaller } from '../authentication/caller-renewal.ts';
import { findRoom, requireWriter } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import { type AlertRooms, requireAlertUser } from '../domain/card/alert-access.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../domain/refusal.ts';
import type { RoomState } from '../room/state.ts';
import type { CommandRequest } from './command.ts';

export interface AlertUsersParts {
  /** `undefined`: the server was started without `--alerts`. */
  readonly alerts: AlertsClient | undefined;
  readonly state: RoomState;
  readonly alertRooms: AlertRooms;
  readonly clock: Clock;
}

/** Decides which callers may use the alert server now, and from which rooms. */
export class AlertUsers {
  readonly #parts: AlertUsersParts;

  constructor(parts: AlertUsersParts) {
    this.#parts = parts;
  }

  /** The alert server, if the request may use it. */
  admit({ caller, access }: CommandRequest): Outcome<AlertsClient> {
    const { alerts } = this.#parts;
    if (!alerts) return refuse('invalid_body', 'this server knows no alert server; start it with --alerts URL');
    return this.refusalOf(caller, access.room.id) ?? accepted(alerts);
  }

  /** `caller` may be of an earlier request: its rights are looked up again. */
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
