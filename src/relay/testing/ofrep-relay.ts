import type { Environment } from '../environment.ts';
import { OfrepStreams } from '../ofrep/streams.ts';
import { ofrepPaths } from '../routes/ofrep.ts';
import { createTestRelay, type RelayAppOptions, type TestRelay } from './app.ts';

export interface OfrepRelay extends TestRelay {
  readonly streams: OfrepStreams;
  /** Number of flags evaluated so far. */
  readonly evaluated: () => number;
}

/** A test relay with OFREP. */
export function createOfrepRelay(
  t: { after(end: () => Promise<void> | void): void },
  options: RelayAppOptions = {},
): OfrepRelay {
  let evaluated = 0;
  const admitted: TestRelay['admitted'][number][] = [];
  // The paths are created before the relay, but only used after it.
  const paths = ofrepPaths({
    credentials: {
      find: (...credential) => relay.credentials.find(...credential),
      get isComplete() {
        return relay.credentials.isComplete;
      },
      get environments(): Iterable<Environment> {
        return relay.credentials.environments;
      },
    },
    observer: {
      request: (request) => admitted.push(request),
      stream: () => () => {},
      evaluated: (_environment, _sdkKind, flags) => {
        evaluated += flags;
      },
    },
    get streams() {
      return streams;
    },
    maxBodyBytes: options.maxBodyBytes ?? 2 ** 20,
  });
  const relay = createTestRelay(t, { ...options, paths });
  const streams = new OfrepStreams(relay.registry);
  return { ...relay, admitted, streams, evaluated: () => evaluated };
}
