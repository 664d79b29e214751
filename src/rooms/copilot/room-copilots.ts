import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { findRoom, requireLive, requireModerator } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import { type CopilotPrecondition, type CopilotServices, configureCopilot } from '../domain/copilot/change.ts';
import type { CopilotHealth, CopilotSettings, ProviderKind } from '../domain/copilot/copilot.ts';
import type { CopilotRequest } from '../domain/copilot/settings.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { Room } from '../domain/room/room.ts';
import type { RunError } from '../domain/run/run.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { ModelHealth } from './model/health.ts';
import { ModelError, type ModelProvider, type ModelTarget } from './model/model.ts';
import type { ModelTargets } from './model/targets.ts';
import { RunStop } from './run/live-run.ts';

const TEST_TOKENS = 16;
const TEST_TIMEOUT_MS = 30_000;
const TEST_WORDS = 'Say OK.';

export interface RoomCopilotsParts {
  readonly state: RoomState;
  readonly writer: RoomWriter;
  readonly context: CopilotServices;
  readonly health: ModelHealth;
  readonly targets: ModelTargets;
  readonly providers: Readonly<Record<ProviderKind, ModelProvider>>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ShownCopilot {
  readonly copilot: CopilotSettings;
  readonly health: CopilotHealth;
}

/** The result of a test, which posts no message. */
export interface CopilotTest {
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly model: string | null;
  readonly error?: string;
}

/** Shows, changes and tests the copilots of rooms. */
export class RoomCopilots {
  readonly #parts: RoomCopilotsParts;
  /** Rooms whose copilot is being tested. */
  readonly #testing = new Map<string, AbortController>();

  constructor(parts: RoomCopilotsParts) {
    this.#parts = parts;
  }

  show(caller: Caller, idOrSlug: string): Outcome<ShownCopilot> {
    const found = findRoom(this.#parts.state, caller, idOrSlug);
    return found.ok ? this.#shown(found.value.room) : found;
  }

  async replace(
    caller: Caller,
    idOrSlug: string,
    request: CopilotRequest,
    precondition: CopilotPrecondition,
  ): Promise<Outcome<ShownCopilot>> {
    const { writer, context } = this.#parts;
    const changed = await writer.submit(configureCopilot(caller, idOrSlug, request, precondition, context));
    return changed.ok ? this.#shown(changed.value) : changed;
  }

  remove(caller: Caller, idOrSlug: string, precondition: CopilotPrecondition): Promise<Outcome<Room>> {
    const { writer, context } = this.#parts;
    return writer.submit(configureCopilot(caller, idOrSlug, null, precondition, context));
  }

  /** Asks the model of a room for a few words. */
  async test(caller: Caller, idOrSlug: string): Promise<Outcome<CopilotTest>> {
    const { state, health, targets, clock } = this.#parts;
    const found = findRoom(state, caller, idOrSlug);
    if (!found.ok) return found;
    const { room } = found.value;
    const refusal = requireModerator(found.value) ?? requireLive(found.value);
    if (refusal) return refusal;
    if (!room.copilot) return noCopilot(room);
    if (this.#testing.has(room.id))
      return refuse('request_in_progress', 'the copilot of this room is being tried already');
    const startedAt = clock.now();
    const tried = await this.#try(room.id, room.copilot);
    health.report(room.id, targets.nameOf(room.id, room.copilot), tried.error, clock.now());
    const latencyMs = clock.now() - startedAt;
    const { error, model } = tried;
    return accepted({ ok: error === null, latencyMs, model, ...(error ? { error: error.message } : {}) });
  }

  close(): void {
    for (const abort of this.#testing.values()) abort.abort(new RunStop('interrupted', 'the server stopped'));
  }

  async #try(
    roomId: string,
    copilot: CopilotSettings,
  ): Promise<{ readonly model: string | null; readonly error: RunError | null }> {
    const { targets, providers, clock, log } = this.#parts;
    const abort = new AbortController();
    this.#testing.set(roomId, abort);
    const limitMs = Math.min(copilot.timeouts.totalMs, TEST_TIMEOUT_MS);
    const words = `no answer within ${limitMs / 1000} s`;
    const cancel = clock.after(limitMs, () => abort.abort(new RunStop('timed_out', words)));
    let target: ModelTarget | undefined;
    try {
      target = await targets.find(roomId, copilot);
      await askBriefly(providers[target.kind], target, copilot, abort.signal);
      return { model: target.model, error: null };
    } catch (error) {
      if (!(error instanceof ModelError || error instanceof RunStop)) {
        log.error('a test of a copilot failed unexpectedly', { room: roomId, err: messageOf(error) });
        return {
          model: null,
          error: { code: 'internal', message: 'the test failed; see the log of the server' },
        };
      }
      const code = error instanceof ModelError ? error.code : error.state;
      return { model: target?.model ?? copilot.model, error: { code, message: error.message } };
    } finally {
      cancel();
      this.#testing.delete(roomId);
    }
  }

  /** Shows that the provider has a key, and nothing else of it. */
  #shown(room: Room): Outcome<ShownCopilot> {
    const { state, health } = this.#parts;
    const { copilot } = room;
    if (!copilot) return noCopilot(room);
    const isProfileKey = !copilot.apiKeyInfo.set && state.get('provider', copilot.provider)?.apiKeyInfo.set === true;
    const apiKeyInfo = isProfileKey ? { set: true, source: 'profile', last4: null } : copilot.apiKeyInfo;
    return accepted({ copilot: { ...copilot, apiKeyInfo }, health: health.of(room.id) });
  }
}

const noCopilot = ({ slug }: Room) =>
  refuse('not_found', `the room ${slug} has no copilot; PUT /api/room/${slug}/copilot makes one`);

/** Any finish of the model counts as success: the few tokens may not suffice for words. */
async function askBriefly(
  provider: ModelProvider,
  target: ModelTarget,
  { temperature, timeouts }: CopilotSettings,
  signal: AbortSignal,
): Promise<void> {
  const request = {
    target,
    temperature,
    system: 'You are being tried out. Answer with one word.',
    turns: [{ role: 'user', text: TEST_WORDS }],
    question: TEST_WORDS,
    maxOutputTokens: TEST_TOKENS,
    connectMs: timeouts.connectMs,
  } as const;
  let answered = false;
  for await (const { kind } of provider.stream(request, signal)) {
    signal.throwIfAborted();
    if (kind !== 'usage') answered = true;
  }
  signal.throwIfAborted();
  if (!answered) throw new ModelError('truncated', 'the answer was cut off');
}
