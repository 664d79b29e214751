import type { Clock } from '../../kernel/clock.ts';
import type { Deck } from '../../kernel/deck/deck.ts';
import type { Log } from '../../kernel/log.ts';
import type { ActiveConfig } from '../config/active-config.ts';
import type { AlertServerOptions } from '../config/server-options.ts';
import type { AlertState } from '../state/alert-state.ts';
import type { Nodes } from '../state/nodes.ts';
import type { Telemetry } from '../telemetry.ts';

/** A server that has its state, but does not listen yet. */
export interface Running {
  readonly options: AlertServerOptions;
  readonly deck: Deck;
  readonly config: ActiveConfig;
  readonly state: AlertState;
  readonly telemetry: Telemetry;
  /** Undefined: this node is the only one. */
  readonly nodes: Nodes | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}
