import type { RoomReplacementBody, WireRetention, WireRoom } from '../../../src/rooms/contract/room.ts';
import { h } from '../../shared/dom.ts';
import { reasonOf } from '../api-error.ts';
import { parseCount, parseLabels, printLabels } from '../shell/label-text.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';
import type { RoomEntry } from './entry.ts';

/** The fields of a room that the form changes. */
type Settings = Pick<WireRoom, 'name' | 'topic' | 'labels' | 'retention'>;

/** Name, topic, labels and retention of a room, for those who may change them. */
export class RoomSettings {
  readonly element: HTMLElement;
  readonly #entry: RoomEntry;
  readonly #ui: Ui;
  readonly #fields = createFields();
  readonly #result = h('p', { class: 'test-result', role: 'status' });
  /** The values that the fields were filled with: untouched fields are not sent. */
  #known: Settings;
  #isTouched = false;
  /** The number of changes to fields. */
  #touches = 0;

  constructor(entry: RoomEntry, ui: Ui) {
    this.#entry = entry;
    this.#ui = ui;
    this.#known = entry.room;
    this.#fill();
    this.element = this.#draw();
    this.element.addEventListener('input', () => {
      this.#isTouched = true;
      this.#touches += 1;
      this.#result.textContent = '';
    });
  }

  refresh(): void {
    if (!this.#isTouched && this.#known !== this.#entry.room) this.#fill();
  }

  #fill(): void {
    const { name, topic, labels, days, maxMessages } = this.#fields;
    const { room } = this.#entry;
    this.#known = room;
    name.value = room.name;
    topic.value = room.topic;
    labels.value = printLabels(room.labels);
    days.value = String(room.retention.days ?? '');
    maxMessages.value = String(room.retention.maxMessages ?? '');
  }

  #draw(): HTMLElement {
    const { name, topic, labels, days, maxMessages } = this.#fields;
    const isSet = labels.value !== '' || days.value !== '' || maxMessages.value !== '';
    const more = h(
      'div',
      { class: 'fields' },
      h('label', {}, t('settings.labels'), labels),
      h('p', { class: 'soft hint', id: 'labels-hint' }, t('settings.labels.hint')),
      h('label', {}, t('settings.days'), days),
      h('label', {}, t('settings.messages'), maxMessages),
      h('p', { class: 'soft hint', id: 'retention-hint' }, t('settings.retention.hint')),
    );
    return h(
      'form',
      { class: 'panel-part fields', onsubmit: (event: Event) => void this.#submit(event) },
      h('label', {}, t('settings.name'), name),
      h('label', {}, t('settings.topic'), topic),
      h('details', { open: isSet }, h('summary', {}, t('settings.more')), more),
      h('button', { class: 'primary' }, t('save')),
      this.#result,
    );
  }

  async #submit(event: Event): Promise<void> {
    event.preventDefault();
    try {
      this.#result.textContent = await this.#save();
    } catch (error) {
      this.#result.textContent = reasonOf(error);
    }
  }

  async #save(): Promise<string> {
    const { api, model } = this.#ui;
    const path = `/api/room/${this.#entry.room.id}`;
    const touches = this.#touches;
    const wanted = this.#changes();
    const { copilot: _, ...fresh } = await api.send<WireRoom>('GET', path);
    const headers = { 'If-Match': `"r${fresh.version}"` };
    const saved = await api.send<WireRoom>('PUT', path, {
      body: { ...fresh, ...wanted } satisfies RoomReplacementBody,
      headers,
    });
    model.put(saved);
    // Input since the request was sent stays.
    if (this.#touches === touches) {
      this.#isTouched = false;
      this.#fill();
    } else this.#known = this.#entry.room;
    if (!wanted.retention) return t('saved');
    const { messages } = await api.send<WireRetention>('GET', `${path}/retention`);
    return messages === 0 ? t('settings.removes-none') : t('settings.removes', { n: messages });
  }

  /** The changed settings only: other users may have changed the rest meanwhile. */
  #changes(): Partial<Settings> {
    const { name, topic, labels, days, maxMessages } = this.#fields;
    const wanted: Settings = {
      name: name.value.trim(),
      topic: topic.value.trim(),
      labels: parseLabels(labels.value, t),
      retention: {
        days: parseCount(days.value, t('settings.bad-days')),
        maxMessages: parseCount(maxMessages.value, t('settings.bad-messages')),
      },
    };
    const isOther = (field: keyof Settings) => JSON.stringify(wanted[field]) !== JSON.stringify(this.#known[field]);
    return Object.fromEntries(Object.entries(wanted).filter(([field]) => isOther(field as keyof Settings)));
  }
}

function createFields() {
  const labels = h('textarea', {
    rows: 3,
    spellcheck: 'false',
    placeholder: 'team=payments',
    'aria-describedby': 'labels-hint',
  });
  const count = () =>
    h('input', {
      type: 'text',
      inputmode: 'numeric',
      autocomplete: 'off',
      placeholder: t('settings.no-limit'),
      'aria-describedby': 'retention-hint',
    });
  return {
    name: h('input', { type: 'text', maxlength: 80, required: true }),
    topic: h('input', { type: 'text', maxlength: 250, placeholder: t('settings.topic.hint') }),
    labels,
    days: count(),
    maxMessages: count(),
  } as const;
}

/** The labels of a room, for readers who may not change them. */
export const labelList = ({ labels }: WireRoom): HTMLElement | false =>
  Object.keys(labels).length > 0 &&
  h(
    'ul',
    { class: 'room-labels', 'aria-label': t('alert.labels') },
    Object.entries(labels).map(([name, value]) => h('li', {}, `${name}=${value}`)),
  );
