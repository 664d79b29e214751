import type { WireNotice } from '../../../src/rooms/contract/command.ts';
import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { RunBody, WireRun } from '../../../src/rooms/contract/run.ts';
import { reasonOf } from '../api-error.ts';
import { summaryOf } from '../message/body.ts';
import { hasReacted } from '../message/list.ts';
import { pathOfMessage } from '../route.ts';
import { askToDelete } from '../shell/dialogs.ts';
import type { Actions, Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';

/** The actions that other parts of the page perform. */
export interface ActionHooks {
  readonly reply: (message: WireMessage) => void;
  readonly edit: (message: WireMessage) => void;
  readonly openThread: (id: string) => void;
  readonly showMessage: (id: string, roomId: string) => void;
  readonly openRoom: (idOrSlug: string) => void;
  readonly showSaw: (run: WireRun, message: WireMessage) => void;
  readonly retrySend: (id: string) => void;
  readonly editSend: (id: string) => void;
  readonly discardSend: (id: string) => void;
  readonly say: Actions['say'];
  /** Puts the words of a deleted message into the composer. */
  readonly writeAgain: (message: WireMessage) => void;
  readonly newId: () => string;
}

/** The actions of the buttons at messages; `ui` is called only when one is pressed. */
export function createActions(hooks: ActionHooks, ui: () => Ui): Actions {
  const fail = (error: unknown) => hooks.say(reasonOf(error));
  const take = (answer: WireMessage | WireNotice | undefined, message: WireMessage) => {
    const { model } = ui();
    const entry = model.entry(message.roomId);
    if (answer && 'notice' in answer) {
      if (entry) model.note(entry, answer.notice);
    } else if (answer && 'seq' in answer) model.takeMessage(answer);
  };
  const attempt = (message: WireMessage, act: () => Promise<WireMessage | WireNotice | undefined>) => {
    act().then((answer) => take(answer, message), fail);
  };
  return {
    ...hooks,
    fail,
    remove: (message) =>
      askToDelete(summaryOf(message), async () => {
        take(await ui().api.remove(message.id), message);
        if (message.type !== 'text' || message.author.id !== ui().model.account.id) return;
        hooks.say(t('delete.done'), { label: t('delete.again'), perform: () => hooks.writeAgain(message) });
      }),
    react(message, emoji) {
      const { api, model } = ui();
      const known = message.reactions.find((reaction) => reaction.emoji === emoji);
      const isMine = known !== undefined && hasReacted(known, model.account.id);
      attempt(message, () => api.react(message.id, emoji, !isMine));
    },
    pin: (message) => attempt(message, () => ui().api.pin(message.id, !message.pinned)),
    copyLink(message) {
      const slug = ui().model.entry(message.roomId)?.room.slug ?? message.roomId;
      const link = location.origin + pathOfMessage(slug, message.id);
      navigator.clipboard.writeText(link).then(
        () => hooks.say(t('tools.linked')),
        () => hooks.say(link),
      );
    },
    press: (message, action) => attempt(message, () => ui().api.press(message.id, action, hooks.newId())),
    askCopilot: (message) =>
      attempt(message, async () => {
        const body: RunBody = {
          messageId: message.id,
          threadId: message.id,
          prompt: t('alert.question'),
        };
        await ui().api.send('POST', `/api/room/${message.roomId}/copilot/run`, { body });
        hooks.openThread(message.id);
        return undefined;
      }),
    stopRun: (message) =>
      attempt(message, async () => {
        if (message.run) await ui().api.cancelRun(message.run.id);
        return undefined;
      }),
    retryRun: (message) =>
      attempt(message, async () => {
        if (message.run) await ui().api.retryRun(message.run.id);
        return undefined;
      }),
    showSaw: (message) =>
      attempt(message, async () => {
        if (message.run) hooks.showSaw(await ui().api.run(message.run.id), message);
        return undefined;
      }),
    messageUser(userId) {
      const { api, model } = ui();
      const before = model.current;
      api.direct([userId]).then((answer) => {
        const { room } = model.put(answer);
        // A late answer must not replace a room that was opened meanwhile.
        if (model.current === before) hooks.openRoom(room.id);
      }, fail);
    },
    dropNote(id) {
      const { model } = ui();
      if (model.current) model.dropNote(model.current, id);
    },
  };
}
