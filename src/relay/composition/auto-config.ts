import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { ConfigurationMemory } from '../auto-config/memory.ts';
import { StoreMemory } from '../auto-config/store-memory.ts';
import { AutoConfigSync } from '../auto-config/sync.ts';
import type { AutoConfigOptions, RelayOptions } from '../config/relay-options.ts';
import type { Credentials } from '../credentials.ts';
import type { EnvironmentList } from '../environment-list/list.ts';
import { RecordingFile } from '../recording-file.ts';
import type { Stores } from '../stores/stores.ts';
import type { UpstreamHttp } from '../upstream/stream.ts';

interface AutoConfigComposition {
  readonly options: RelayOptions;
  readonly list: EnvironmentList;
  readonly credentials: Credentials;
  readonly http: UpstreamHttp;
  readonly stores: Stores | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Automatic configuration, kept in the database and the folder of recordings if these are configured. */
export function openAutoConfig(
  autoConfig: AutoConfigOptions,
  { options, stores, clock, log, ...parts }: AutoConfigComposition,
): AutoConfigSync {
  const { streamUri, recordPath, initTimeoutMs, exitOnError, exitAlways, ignoreConnectionErrors } = options;
  const mustEnd = (exitOnError || exitAlways) && !ignoreConnectionErrors;
  return new AutoConfigSync({
    ...parts,
    options: autoConfig,
    streamUri,
    memories: [...storeMemory(autoConfig, stores, clock, log), ...fileMemory(recordPath, autoConfig.key, clock, log)],
    deadlineMs: mustEnd ? initTimeoutMs : undefined,
    clock,
    log,
  });
}

function storeMemory(
  { cache }: AutoConfigOptions,
  stores: Stores | undefined,
  clock: Clock,
  log: Log,
): readonly ConfigurationMemory[] {
  const blobs = cache && stores?.openBlobs(cache.key);
  return blobs ? [new StoreMemory({ blobs, secret: cache.secret, clock, log })] : [];
}

function fileMemory(folder: string | undefined, key: string, clock: Clock, log: Log): readonly ConfigurationMemory[] {
  if (folder === undefined) return [];
  const file = new RecordingFile(['automatic configuration', key], { folder, clock, log });
  return [
    {
      read: async () => (await file.read())?.json,
      keep: (json) => file.write(() => `${JSON.stringify(json())}\n`),
      close: () => file.close(),
    },
  ];
}
