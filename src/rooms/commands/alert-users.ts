import type { Clock } from '../../kernel/clock.ts';
import type { AlertsClient } from '../alerts-client.ts';
import { renewCaller } from '../authentication/caller-renewal.ts';
import type { DashboardClient } from '../dashboard-client.ts';
import { findRoom, requireWriter } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import { type AlertRooms, requireAlertUser } from '../domain/card/alert-access.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../domain/refusal.ts';
import type { RelayClient } from '../relay-client.ts';
import type { RoomState } from '../room/state.ts';
import type { CommandRequest } from './command.ts';

export interface AlertUsersParts {
  /** `undefined`: the server was started without `--alerts`. */
  readonly alerts: AlertsClient | undefined;
  /** `undefined`: started without `--relay`. */
  readonly relay: RelayClient | undefined;
  /** `undefined`: started without `--dashboard`. */
  readonly dashboard: DashboardClient | undefined;
  readonly state: RoomState;
  readonly alertRooms: AlertRooms;
  readonly clock: Clock;
}

/** Decides which callers may use the alert server, relay and dashboard now, and from which rooms. */
export class AlertUsers {
  readonly #parts: AlertUsersParts;

  constructor(parts: AlertUsersParts) {
    this.#parts = parts;
  }

  /** The alert server, if the request may use it. */
  admit(request: CommandRequest): Outcome<AlertsClient> {
    return this.#admit(request, this.#parts.alerts, 'alert server', '--alerts');
  }

  /** The flag relay, if the request may use it. */
  admitToRelay(request: CommandRequest): Outcome<RelayClient> {
    return this.#admit(request, this.#parts.relay, 'relay', '--relay');
  }

  /** The usage dashboard, if the request may use it. */
  admitToDashboard(request: CommandRequest): Outcome<DashboardClient> {
    return this.#admit(request, this.#parts.dashboard, 'dashboard', '--dashboard');
  }

  /** `caller` may be of an earlier request: its rights are looked up again. */
  refusalOf(caller: Caller, roomId: string, server = 'the alert server'): Refusal | undefined {
    const { state, alertRooms, clock } = this.#parts;
    const now = clock.now();
    const renewed = renewCaller(state, caller, now);
    if (!renewed) return refuse('unauthenticated', 'the token was revoked, or its user disabled');
    const found = findRoom(state, renewed, roomId);
    if (!found.ok) return found;
    return requireWriter(found.value, renewed, now) ?? requireAlertUser(renewed, found.value, alertRooms, server);
  }

  #admit<T>({ caller, access }: CommandRequest, client: T | undefined, name: string, flag: string): Outcome<T> {
    if (!client) return refuse('invalid_body', `this server knows no ${name}; start it with ${flag} URL`);
    return this.refusalOf(caller, access.room.id, `the ${name}`) ?? accepted(client);
  }
}
