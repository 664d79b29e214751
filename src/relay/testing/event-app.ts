import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import type { Environment } from '../environment.ts';
import type { EventReceiver } from '../event/receiver.ts';
import { eventPaths } from '../routes/events.ts';
import { createRelayApp } from '../routes/index.ts';
import { EVENT_ENVIRONMENT } from './test-forwarder.ts';

/** The event paths with one receiver; every credential is valid. */
export function createEventApp(
  receiver: EventReceiver,
  maxPayloadBytes = 0,
  onCredential: (credential: string) => void = () => {},
): ReturnType<typeof createRelayApp> {
  const environment = { options: EVENT_ENVIRONMENT, readiness: 'ready' } as Environment;
  const find = (_sdkKind: string, credential: string) => {
    onCredential(credential);
    return environment;
  };
  const paths = eventPaths({
    credentials: { isComplete: true, find },
    observer: { request: () => {}, stream: () => () => {}, evaluated: () => {} },
    receiverOf: () => receiver,
    maxPayloadBytes,
  });
  const log = createLog({ level: 'info', format: 'logfmt', clock: systemClock, write: () => {} });
  return createRelayApp({ paths, clock: systemClock, log });
}
