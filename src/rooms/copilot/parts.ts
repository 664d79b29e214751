import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { AlertsClient } from '../alerts-client.ts';
import type { SecretCipher } from '../authentication/secret-cipher.ts';
import type { AlertRooms } from '../domain/card/alert-access.ts';
import type { ProviderContext } from '../domain/copilot/provider-change.ts';
import type { Announcer } from '../feed/live.ts';
import type { FileStore } from '../files/file-store.ts';
import type { MessageWriter } from '../messages/writer.ts';
import type { Jobs } from '../nodes/jobs.ts';
import type { Signals } from '../nodes/signals.ts';
import type { OutboundGuard } from '../outbound/outbound-guard.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { RoomStore } from '../store/store.ts';
import { AnthropicProvider } from './model/anthropic.ts';
import { EchoProvider } from './model/echo.ts';
import { ModelHealth } from './model/health.ts';
import { ModelConnections } from './model/http.ts';
import { OpenAiProvider } from './model/openai.ts';
import { ModelTargets } from './model/targets.ts';
import { PromptSource } from './prompt-source.ts';
import { ProviderRegistry } from './provider-registry.ts';
import { RoomCopilots } from './room-copilots.ts';
import { RunRequests } from './run/requests.ts';
import { CopilotRuns } from './run/runs.ts';
import { RunStreams, type StreamSeats } from './run/streams.ts';
import { SecretSource } from './secret-source.ts';
import { CopilotTriggers } from './triggers.ts';

/** Leaves room for error texts, however small the message limit is. */
const MIN_BODY_BYTES = 1_024;

export interface CopilotInputs {
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly writer: RoomWriter;
  readonly messages: MessageWriter;
  /** To the streams of all nodes. */
  readonly announcer: Announcer;
  /** To the streams of this node. */
  readonly feed: Announcer;
  readonly jobs: Jobs;
  /** `undefined`: there are no other nodes. */
  readonly signals: Signals | undefined;
  readonly alerts: AlertsClient | undefined;
  readonly alertRooms: AlertRooms | null;
  readonly files: Pick<FileStore, 'read'>;
  readonly cipher: SecretCipher;
  readonly refuseUrl: ProviderContext['refuseUrl'];
  readonly openGuard: (connectTimeoutMs: number) => OutboundGuard;
  readonly seats: StreamSeats;
  readonly newId: () => string;
  readonly random: () => number;
  readonly clock: Clock;
  readonly log: Log;
  readonly maxBodyBytes: number;
  readonly secretsDir: string | undefined;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export type CopilotParts = ReturnType<typeof createCopilotParts>;

/** All parts of copilots. A question goes from a trigger or a request to the runs, and from there to a model. */
export function createCopilotParts(inputs: CopilotInputs) {
  const { state, store, writer, clock, cipher, variables, secretsDir: folder } = inputs;
  const health = new ModelHealth();
  const connections = new ModelConnections(inputs.openGuard);
  const providers = {
    openai: new OpenAiProvider(connections),
    anthropic: new AnthropicProvider(connections),
    echo: new EchoProvider(clock),
  };
  const targets = new ModelTargets({ state, cipher, secrets: new SecretSource({ variables, folder }) });
  const prompts = new PromptSource(inputs);
  const maxBodyBytes = Math.max(inputs.maxBodyBytes, MIN_BODY_BYTES);
  const runs = new CopilotRuns({ ...inputs, maxBodyBytes, health, providers, targets, prompts });
  const triggers = new CopilotTriggers({ ...inputs, runs });
  const requests = new RunRequests({ state, store, runs, newId: inputs.newId, now: () => clock.now() });
  const streams = new RunStreams({ runs, requests, clock, seats: inputs.seats });
  const context = { cipher, refuseUrl: inputs.refuseUrl };
  const copilots = new RoomCopilots({ ...inputs, context, health, targets, providers });
  writer.onCommit(runs.follow);
  writer.onCommit(triggers.follow);
  writer.onCommit(streams.follow);
  return {
    runs,
    requests,
    streams,
    copilots,
    providers: new ProviderRegistry({ state, writer, context }),
    async close() {
      copilots.close();
      await triggers.close();
      await runs.close();
      await streams.close();
      await connections.close();
    },
  };
}
