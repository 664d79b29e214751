import type { AlertsClient } from '../alerts-client.ts';
import { createCopilotParts } from '../copilot/parts.ts';
import type { FileStore } from '../files/file-store.ts';
import type { MessageWriter } from '../messages/writer.ts';
import { copilotPaths } from '../routes/copilot.ts';
import { providerPaths } from '../routes/providers.ts';
import { runPaths } from '../routes/runs.ts';
import { MAX_OBJECT_BYTES, openOutbound, type RoomsCore, random, refuseUrl } from './core.ts';

export interface CopilotInputs {
  readonly messages: MessageWriter;
  readonly files: FileStore;
  readonly alerts: AlertsClient | undefined;
}

/** Copilots, their providers and runs. */
export function composeCopilot(core: RoomsCore, { messages, files, alerts }: CopilotInputs) {
  const { options, guard, feed, outbound, alertRooms } = core;
  const { maxBodyBytes, secretsDir, requireIfMatch } = options;
  const parts = createCopilotParts({
    ...core,
    messages,
    files,
    signals: core.nodes?.signals,
    alerts,
    alertRooms: options.auth === 'none' ? null : alertRooms,
    maxBodyBytes,
    secretsDir,
    variables: process.env,
    refuseUrl: (url, allowPrivate) => refuseUrl(outbound, url, allowPrivate),
    openGuard: (connectTimeoutMs) => openOutbound(options, connectTimeoutMs),
    seats: feed.seats,
    random,
  });
  feed.showStreaming(parts.runs);
  const { copilots, requests, streams, providers } = parts;
  return {
    ...parts,
    paths: [
      copilotPaths({ guard, copilots, requireIfMatch, maxBodyBytes: MAX_OBJECT_BYTES }),
      runPaths({ guard, requests, streams }),
      providerPaths({ guard, providers, requireIfMatch }),
    ],
  };
}
