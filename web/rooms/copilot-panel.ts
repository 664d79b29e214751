import { h } from '../shared/dom.ts';
import { reasonOf } from './api-error.ts';
import { icon } from './icons.ts';
import type { RoomEntry } from './room-entry.ts';
import type { Ui } from './ui.ts';

const TRIGGERS = [
  ['mention', 'when it is mentioned'],
  ['always', 'every message'],
  ['alert', 'new alerts'],
  ['manual', 'only when somebody asks by hand'],
] as const;

interface TestAnswer {
  readonly ok: boolean;
  readonly latencyMs?: number;
  readonly model?: string | null;
  readonly error?: string | { readonly message?: string } | null;
}

interface Profiles {
  readonly providers?: readonly { readonly name: string; readonly kind: string }[];
}

/** A room's copilot: which model answers and with which key; all else has a default that works. */
export function copilotPanel(entry: RoomEntry, ui: Ui): HTMLElement {
  const { room } = entry;
  const mayManage = entry.isModerator || ui.model.account.admin;
  const { copilot } = room;
  if (!mayManage)
    return h(
      'div',
      { class: 'panel' },
      copilot?.enabled
        ? h('p', {}, `${copilot.name} answers here by ${copilot.provider}${copilot.model ? `, ${copilot.model}` : ''}.`)
        : h('p', {}, 'This room has no copilot. An admin of the room can set one up.'),
      copilot && privateSwitch(entry, ui),
    );
  return h('div', { class: 'panel' }, settingsForm(entry, ui), copilot && privateSwitch(entry, ui));
}

function privateSwitch({ room, me }: RoomEntry, { api, actions, model }: Ui): HTMLElement | false {
  if (!me) return false;
  const box = h('input', { type: 'checkbox', checked: me.copilot });
  box.addEventListener('change', async () => {
    try {
      model.put(await api.send('PUT', `/api/room/${room.id}`, { body: { copilot: box.checked } }));
    } catch (error) {
      box.checked = !box.checked;
      actions.fail(error);
    }
  });
  return h(
    'section',
    { class: 'panel-part' },
    h('label', { class: 'check' }, box, 'Private copilot: notes that only you see'),
  );
}

function settingsForm(entry: RoomEntry, ui: Ui): HTMLElement {
  const { room } = entry;
  const { copilot } = room;
  const { api, actions, model } = ui;
  const provider = h(
    'select',
    { name: 'provider' },
    ...['echo', 'openai', 'anthropic'].map((name) => h('option', { value: name }, printProvider(name))),
  );
  const key = h('input', {
    type: 'password',
    name: 'key',
    autocomplete: 'off',
    placeholder: copilot?.apiKeyInfo.set ? `set, ends with ${copilot.apiKeyInfo.last4 ?? ''}` : '',
  });
  const keyField = h('label', {}, 'Key', key);
  const name = h('input', { type: 'text', value: copilot?.name ?? 'copilot', maxlength: 40 });
  const modelName = h('input', { type: 'text', value: copilot?.model ?? '', placeholder: 'the profile\u2019s' });
  const baseUrl = h('input', {
    type: 'text',
    value: copilot?.baseUrl ?? '',
    placeholder: 'the profile\u2019s',
    inputmode: 'url',
  });
  const trigger = h(
    'select',
    {},
    TRIGGERS.map(([value, label]) => h('option', { value, selected: value === copilot?.trigger }, label)),
  );
  const place = h(
    'select',
    {},
    [
      ['thread', 'in a thread'],
      ['room', 'in the room'],
    ].map(([value = '', label = '']) => h('option', { value, selected: value === copilot?.replyIn }, label)),
  );
  const instructions = h('textarea', {
    rows: 4,
    maxlength: 16_000,
    placeholder: 'You help the people on call. Be brief.',
  });
  instructions.value = copilot?.instructions ?? '';
  const result = h('p', { class: 'test-result', role: 'status' });
  const showKey = () => {
    keyField.hidden = provider.value === 'echo';
  };
  provider.addEventListener('change', showKey);
  void fillProviders(provider, copilot?.provider ?? 'echo', ui).then(showKey);
  const wanted = () => ({
    ...(copilot ?? {}),
    ...{ enabled: true, name: name.value, provider: provider.value, model: modelName.value.trim() || null },
    ...{
      baseUrl: baseUrl.value.trim() || null,
      trigger: trigger.value,
      replyIn: place.value,
      instructions: instructions.value,
    },
    ...(key.value === '' ? {} : { apiKey: key.value }),
  });
  const save = async () => {
    model.put(await api.send('PUT', `/api/room/${room.id}`, { body: { copilot: wanted() } }));
    key.value = '';
    ui.topics.changed('room');
  };
  const onSave = async (event: Event) => {
    event.preventDefault();
    try {
      await save();
      result.textContent = `Saved. Write @${name.value.toLowerCase()} to ask.`;
    } catch (error) {
      result.textContent = reasonOf(error);
    }
  };
  const test = async () => {
    result.textContent = 'Asking';
    try {
      await save();
      result.textContent = printTest(await api.send<TestAnswer>('POST', `/api/room/${room.id}/copilot/test`));
    } catch (error) {
      result.textContent = reasonOf(error);
    }
  };
  const off = async () => {
    try {
      model.put(await api.send('PUT', `/api/room/${room.id}`, { body: { copilot: null } }));
      actions.say('The copilot is off');
      ui.topics.changed('room', 'drawer');
    } catch (error) {
      actions.fail(error);
    }
  };
  return h(
    'form',
    { class: 'panel-part fields', onsubmit: onSave },
    h(
      'p',
      { class: 'soft' },
      'It sees the messages of this room when it is asked, and answers as a member. Words that look like secrets are taken out before they leave.',
    ),
    h('label', {}, 'Model provider', provider),
    keyField,
    h(
      'details',
      {},
      h('summary', {}, 'More settings'),
      h(
        'div',
        { class: 'fields' },
        h('label', {}, 'Name', name),
        h('label', {}, 'Answers', trigger),
        h('label', {}, 'Where', place),
        h('label', {}, 'Model', modelName),
        model.account.admin && h('label', {}, 'Address', baseUrl),
        h('label', {}, 'Instructions', instructions),
      ),
    ),
    h(
      'div',
      { class: 'panel-actions' },
      h('button', { class: 'primary' }, copilot?.enabled ? 'Save' : 'Switch on'),
      h('button', { type: 'button', onclick: test }, 'Test'),
      copilot && h('button', { type: 'button', class: 'danger', onclick: off }, 'Remove'),
    ),
    result,
  );
}

const printProvider = (name: string): string =>
  name === 'echo'
    ? 'echo (built in, repeats what you say)'
    : name === 'openai'
      ? 'openai (any compatible server)'
      : name;

/** The server's own profiles stand before the kinds. */
async function fillProviders(field: HTMLSelectElement, chosen: string, { api, model }: Ui): Promise<void> {
  const profiles = model.account.admin
    ? await api.send<Profiles>('GET', '/api/provider').catch(() => ({}) as Profiles)
    : {};
  const names = (profiles.providers ?? []).map((profile) => profile.name);
  const known = [...field.options].map(({ value }) => value);
  for (const name of [...names, chosen].filter((name) => !known.includes(name)))
    field.prepend(h('option', { value: name }, name));
  field.value = chosen;
}

function printTest({ ok, latencyMs, model, error }: TestAnswer): string {
  const reason = typeof error === 'string' ? error : (error?.message ?? 'no answer');
  return ok ? `It works: ${model ?? 'the model'} answered in ${latencyMs ?? '?'} ms.` : `It does not work: ${reason}`;
}

/** What a model was shown when it wrote an answer. */
export function sawPanel(
  saw: readonly { readonly messageId: string; readonly version: number }[],
  entry: RoomEntry,
  { actions }: Ui,
): HTMLElement {
  if (saw.length === 0) return h('div', { class: 'panel' }, h('p', {}, 'It was shown no messages.'));
  return h(
    'div',
    { class: 'panel' },
    h(
      'p',
      { class: 'soft' },
      `It was shown ${saw.length} ${saw.length === 1 ? 'message' : 'messages'}, besides its instructions:`,
    ),
    h(
      'ul',
      { class: 'saw' },
      saw.map(({ messageId, version }) => {
        const message = entry.list.get(messageId);
        const changed = message && message.version !== version ? ' (changed since)' : '';
        const text = message ? `${message.author.name}: ${message.body.slice(0, 160)}${changed}` : 'an earlier message';
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
