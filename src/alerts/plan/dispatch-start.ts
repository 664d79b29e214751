import type { Clock } from '../../kernel/clock.ts';
import type { DataDirectory } from '../../kernel/data-directory.ts';
import type { Database } from '../../kernel/database.ts';
import type { Log } from '../../kernel/log.ts';
import type { SenderLink } from '../sending/sender-link.ts';
import { openHandoverLog, untilSenderEnded } from '../sending/sender-process.ts';
import type { AlertState } from '../state/alert-state.ts';
import { countHandedOver } from '../state/handover-recovery.ts';
import type { ActivePlan } from './active-plan.ts';

export interface DispatchStart {
  readonly plan: ActivePlan;
  readonly sender: SenderLink;
  readonly state: AlertState;
  readonly directory: Pick<DataDirectory, 'path'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** The server is asked to end. */
  readonly stopped: AbortSignal;
}

/** Flushes groups from now on: as soon as it is known what a server before this one has told. */
export async function startDispatching({ plan, sender, directory, stopped, ...parts }: DispatchStart): Promise<void> {
  const { clock, log } = parts;
  await untilSenderEnded(directory.path, { clock, log, stopped });
  if (stopped.aborted) return;
  const handovers = openHandoverLog(directory.path, clock, log);
  const count = await countHandedOver({ ...parts, handovers });
  handovers.close();
  if (count > 0) log.warn('Notifications count as sent that were under way when the server was killed', { count });
  if (stopped.aborted) return;
  if (plan.current.integrationCount > 0) sender.start();
  plan.start();
}
