import type { Environment } from '../environment.ts';
import type { EventReceiver } from '../event/receiver.ts';
import type { EnvironmentHandler } from './access.ts';
import type { EventHandler } from './events.ts';

export interface EventAccessParts {
  /** Who takes the events of an environment. */
  readonly receiverOf: (environment: Environment) => EventReceiver;
}

/** Hands a request that was let in to the receiver of its environment. */
export function receiveEvents(handle: EventHandler, { receiverOf }: EventAccessParts): EnvironmentHandler {
  return (c, { environment, headers }) => {
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    return handle(c, receiverOf(environment));
  };
}
