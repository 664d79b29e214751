import type { AlertsClient } from '../alerts-client.ts';
import { createCopilotParts } from '../copilot/copilot-parts.ts';
import type { FileStore } from '../files/file-store.ts';
import type { MessageBook } from '../messages/message-book.ts';
import { copilotPaths } from '../routes/copilot.ts';
import { providerPaths } from '../routes/providers.ts';
import { runPaths } from '../routes/runs.ts';
import { MAX_OBJECT_BYTES, openOutbound, type RoomsCore, random, refuseUrl } from './core.ts';

export interface CopilotMeans {
  readonly book: MessageBook;
  readonly files: FileStore;
  readonly alerts: AlertsClient | undefined;
}

/** What answers in rooms. */
export function composeCopilot(core: RoomsCore, { book, files, alerts }: CopilotMeans) {
  const { options, guard, feed, outbound, alertRooms } = core;
  const { maxBodyBytes, secretsDir, requireIfMatch } = options;
  const parts = createCopilotParts({
    ...core,
    book,
    files,
    announcer: feed,
    alerts,
    alertRooms: options.auth === 'none' ? null : alertRooms,
    maxBodyBytes,
    secretsDir,
    variables: process.env,
    refuseUrl: (url, allowPrivate) => refuseUrl(outbound, url, allowPrivate),
    openGuard: (connectTimeoutMs) => openOutbound(options, connectTimeoutMs),
    seats: feed,
    random,
  });
  feed.showStreaming(parts.runs);
  const { desk, runDesk, streams, providers } = parts;
  return {
    ...parts,
    paths: [
      copilotPaths({ guard, desk, requireIfMatch, maxBodyBytes: MAX_OBJECT_BYTES }),
      runPaths({ guard, desk: runDesk, streams }),
      providerPaths({ guard, book: providers, requireIfMatch }),
    ],
  };
}
