import type { RoomReplacementBody } from '../../../src/rooms/contract/room.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { stateBox } from '../../shared/shell/states.ts';
import { ANY_VERSION } from '../api.ts';
import type { RoomEntry } from '../room/entry.ts';
import type { Panel } from '../room/panels.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';
import { CopilotForm } from './form.ts';

/** The copilot of a room: its settings for those who may change them, its description for others. */
export function copilotPanel(entry: RoomEntry, ui: Ui): Panel {
  const form = entry.isModerator || ui.model.account.admin ? new CopilotForm(entry, ui) : undefined;
  const words = h('p', { hidden: form !== undefined });
  const switches = entry.me ? privateSwitch(entry, ui) : undefined;
  const refresh = () => {
    const { copilot } = entry.room;
    words.textContent = copilot?.enabled
      ? `${t(copilot.model ? 'copilot.answers-model' : 'copilot.answers', {
          name: copilot.name,
          provider: copilot.provider,
          model: copilot.model ?? '',
        })}.`
      : t('copilot.none');
    if (switches) switches.hidden = !copilot;
    form?.refresh();
  };
  refresh();
  return { element: h('div', { class: 'panel' }, form?.element ?? words, switches), refresh };
}

function privateSwitch({ room, me }: RoomEntry, { api, actions, model }: Ui): HTMLElement {
  const box = h('input', { type: 'checkbox', checked: me?.copilot === true });
  box.addEventListener('change', async () => {
    try {
      model.put(
        await api.send('PUT', `/api/room/${room.id}`, {
          body: { copilot: box.checked } satisfies RoomReplacementBody,
          headers: ANY_VERSION,
        }),
      );
    } catch (error) {
      box.checked = !box.checked;
      actions.fail(error);
    }
  });
  return h('section', { class: 'panel-part' }, h('label', { class: 'check' }, box, t('copilot.private')));
}

/** The messages that a model was given for an answer. */
export function sawPanel(
  saw: readonly { readonly messageId: string; readonly version: number }[],
  entry: RoomEntry,
  { actions }: Ui,
): HTMLElement {
  if (saw.length === 0) return h('div', { class: 'panel' }, stateBox(t('saw.none'), ''));
  return h(
    'div',
    { class: 'panel' },
    h('p', { class: 'soft' }, t('saw.count', { n: saw.length })),
    h(
      'ul',
      { class: 'saw' },
      saw.map(({ messageId, version }) => {
        const message = entry.list.get(messageId);
        const changed = message && message.version !== version ? ` ${t('saw.changed')}` : '';
        const text = message ? `${message.author.name}: ${message.body.slice(0, 160)}${changed}` : t('message.earlier');
        return h(
          'li',
          {},
          h(
            'button',
            {
              type: 'button',
              class: 'quiet pinned-link',
              onclick: () => actions.showMessage(messageId, entry.room.id),
            },
            icon('eye'),
            text,
          ),
        );
      }),
    ),
  );
}
