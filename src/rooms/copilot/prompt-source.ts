import type { Clock } from '../../kernel/clock.ts';
import type { AlertsClient } from '../alerts-client.ts';
import { type AlertRooms, isAlertRoom } from '../domain/card/alert-access.ts';
import type { StateView } from '../domain/change.ts';
import type { CopilotSettings } from '../domain/copilot/copilot.ts';
import { buildPrompt, type FiringAlert, type Prompt } from '../domain/copilot/prompt.ts';
import { memberKey } from '../domain/member/member.ts';
import type { Message } from '../domain/message/message.ts';
import type { Room } from '../domain/room/room.ts';
import type { Run } from '../domain/run/run.ts';
import type { FileStore } from '../files/file-store.ts';
import type { RoomStore } from '../store/store.ts';
import { readPromptFiles } from './prompt-files.ts';

/** A prompt goes without alerts if the alert server takes longer, in milliseconds. */
const ALERTS_TIMEOUT_MS = 2_000;
/** Messages of the room beside the thread. */
const ROOM_MESSAGES = 20;
/** Messages since a moment; the token limit applies too. */
const SINCE_MESSAGES = 200;

export interface PromptSourceParts {
  readonly state: StateView;
  readonly store: Pick<RoomStore, 'page' | 'messages'>;
  /** `undefined` without `--alerts`. */
  readonly alerts: Pick<AlertsClient, 'alerts'> | undefined;
  /** `null`: alerts are shown in every room, since everybody is an admin of the server. */
  readonly alertRooms: AlertRooms | null;
  readonly files: Pick<FileStore, 'read'>;
  readonly clock: Clock;
}

/** Collects the parts of a room's prompt. */
export class PromptSource {
  readonly #parts: PromptSourceParts;

  constructor(parts: PromptSourceParts) {
    this.#parts = parts;
  }

  async gather(run: Run, room: Room, settings: CopilotSettings): Promise<Prompt> {
    const { state, clock } = this.#parts;
    const copilot = run.sinceSeq === undefined ? settings : wholeRoom(settings);
    const [trigger, root] = await this.#find([run.triggerId, run.threadId]);
    const afterSeq = Math.max(visibleAfter(state, room, run, trigger), run.sinceSeq ?? 0);
    const isSeen = (message: Message | undefined) => message && !message.deleted && message.seq > afterSeq;
    const [messages, alerts] = await Promise.all([
      this.#messages(run, copilot, { before: trigger ? trigger.seq : undefined, afterSeq }),
      copilot.context.includeAlerts ? this.#alerts(room) : [],
    ]);
    // First the files of the question, then those of the latest messages.
    const byWeight = [trigger, root, ...messages.toReversed()].filter((message) => message !== undefined);
    const seen = byWeight.filter(isSeen);
    const name = state.get('user', run.startedBy)?.name ?? run.startedBy;
    return buildPrompt({
      room,
      copilot,
      now: clock.now(),
      alerts,
      messages,
      files: copilot.context.includeFiles ? await readPromptFiles(this.#parts.files, seen) : new Map(),
      trigger: isSeen(trigger) ? trigger : undefined,
      root: isSeen(root) && root?.status !== 'streaming' ? root : undefined,
      asked: run.prompt === null ? undefined : { name, text: run.prompt },
    });
  }

  async #find(ids: readonly (string | null)[]): Promise<readonly (Message | undefined)[]> {
    const found = await this.#parts.store.messages(ids.filter((id) => id !== null));
    return ids.map((id) => found.find(({ message }) => message.id === id)?.message);
  }

  /** The messages of the thread and the last of the room; or the last of the room, in any thread. */
  async #messages(
    { roomId, threadId }: Run,
    { context }: CopilotSettings,
    { before, afterSeq }: { readonly before: number | undefined; readonly afterSeq: number },
  ): Promise<readonly Message[]> {
    const read = async (limit: number, thread: string | null) => {
      if (limit === 0) return [];
      const { messages } = await this.#parts.store.page({
        roomId,
        limit,
        afterSeq,
        ...(before === undefined ? {} : { before }),
        ...(thread === null ? {} : { threadId: thread }),
      });
      return messages.map(({ message }) => message);
    };
    if (context.scope === 'room') return read(context.messages, null);
    const ofThread = threadId === null ? [] : await read(context.messages, threadId);
    const ofRoom = await read(Math.min(context.messages, threadId === null ? context.messages : ROOM_MESSAGES), null);
    const main = ofRoom.filter((message) => message.threadId === null || message.alsoInRoom);
    const all = new Map([...main, ...ofThread].map((message) => [message.id, message]));
    return [...all.values()].sort((a, b) => a.seq - b.seq);
  }

  async #alerts(room: Room): Promise<readonly FiringAlert[]> {
    const { alerts, alertRooms, clock } = this.#parts;
    // The labels are chosen by the room's creator.
    if (alertRooms && !isAlertRoom(alertRooms, room)) return [];
    const { labels } = room;
    // Without labels all alerts would match.
    if (!alerts || Object.keys(labels).length === 0) return [];
    const matchers = Object.entries(labels).map(([name, value]) => ({ name, value, isRegex: false, isEqual: true }));
    let cancel = () => {};
    const late = new Promise<readonly FiringAlert[]>((resolve) => {
      cancel = clock.after(ALERTS_TIMEOUT_MS, () => resolve([]));
    });
    const found = alerts.alerts(matchers, { onlyActive: true }).then((outcome) => (outcome.ok ? outcome.value : []));
    try {
      return await Promise.race([found, late]);
    } finally {
      cancel();
    }
  }
}

/** All messages of a room, in any thread. */
const wholeRoom = (settings: CopilotSettings): CopilotSettings => ({
  ...settings,
  context: { ...settings.context, scope: 'room', messages: SINCE_MESSAGES },
});

/** The model sees nothing that the asker may not see. */
function visibleAfter(state: StateView, room: Room, run: Run, trigger: Message | undefined): number {
  if (room.historyVisibility !== 'joined') return 0;
  const member = state.get('member', memberKey(room.id, run.startedBy));
  return member ? member.joinedSeq : (trigger?.seq ?? state.head(room.id).lastSeq + 1) - 1;
}
