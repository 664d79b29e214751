import type { CopilotBody, WireCopilot, WireCopilotTest } from '../../../src/rooms/contract/copilot.ts';
import type { WireProvider } from '../../../src/rooms/contract/provider.ts';
import { h, setText } from '../../shared/dom.ts';
import { ANY_VERSION, NEW_ONLY } from '../api.ts';
import { ApiError, reasonOf } from '../api-error.ts';
import type { RoomEntry } from '../room/entry.ts';
import type { Ui } from '../shell/ui.ts';
import type { TextKey } from '../text/en.ts';
import { t } from '../text/text.ts';
import { handleOf } from './handle.ts';

const TRIGGERS = ['mention', 'always', 'alert', 'manual', 'off'] as const;
const PLACES = ['thread', 'room'] as const;

/** The settings of a room's copilot: provider and key, and others that have working defaults. */
export class CopilotForm {
  readonly element: HTMLElement;
  readonly #entry: RoomEntry;
  readonly #ui: Ui;
  readonly #fields = createFields();
  readonly #keyLabel = h('label', {}, t('copilot.key'), this.#fields.key);
  readonly #keyHint = h('p', { class: 'soft hint', id: 'copilot-key-hint' });
  readonly #save = h('button', { class: 'primary' });
  readonly #test = h(
    'button',
    { type: 'button', onclick: () => this.#attempt('copilot.asking', () => this.#try()) },
    t('copilot.test'),
  );
  readonly #remove = h(
    'button',
    { type: 'button', class: 'danger', onclick: () => this.#attempt('copilot.removing', () => this.#takeAway()) },
    t('copilot.remove'),
  );
  readonly #result = h('p', { class: 'test-result', role: 'status' });
  /** The values that the fields were filled with. */
  #known: WireCopilot | null = null;
  #isTouched = false;
  /** The number of changes to fields. */
  #touches = 0;
  /** The providers of the server; empty for users who are not admins. */
  #profiles: readonly WireProvider[] = [];

  constructor(entry: RoomEntry, ui: Ui) {
    this.#entry = entry;
    this.#ui = ui;
    this.element = this.#draw();
    this.element.addEventListener('input', () => {
      this.#isTouched = true;
      this.#touches += 1;
      this.#showKey();
    });
    this.#fill();
    void this.#listProfiles();
  }

  /** Shows the current settings, unless the user has changed a field. */
  refresh(): void {
    if (!this.#isTouched) this.#fill();
  }

  #draw(): HTMLElement {
    const { provider, name, trigger, place, model, baseUrl, instructions } = this.#fields;
    const isAdmin = this.#ui.model.account.admin;
    const more = h(
      'div',
      { class: 'fields' },
      h('label', {}, t('copilot.name'), name),
      h('label', {}, t('copilot.trigger'), trigger),
      h('label', {}, t('copilot.place'), place),
      h('label', {}, t('copilot.model'), model),
      isAdmin && h('label', {}, t('copilot.address'), baseUrl),
      h('label', {}, t('copilot.instructions'), instructions),
    );
    const onSave = (event: Event) => {
      event.preventDefault();
      this.#attempt('copilot.saving', () => this.#store());
    };
    return h(
      'form',
      { class: 'panel-part fields', onsubmit: onSave },
      h('p', { class: 'soft' }, t('copilot.about')),
      h('label', {}, t('copilot.provider'), provider),
      this.#keyLabel,
      this.#keyHint,
      h('details', {}, h('summary', {}, t('copilot.more')), more),
      h('div', { class: 'panel-actions' }, this.#save, this.#test, this.#remove),
      this.#result,
    );
  }

  #fill(): void {
    const { copilot } = this.#entry.room;
    const { provider, key, name, trigger, place, model, baseUrl, instructions } = this.#fields;
    this.#known = copilot;
    offer(provider, copilot?.provider ?? 'echo');
    provider.value = copilot?.provider ?? 'echo';
    key.value = '';
    name.value = copilot?.name ?? 'copilot';
    trigger.value = copilot?.trigger ?? 'mention';
    place.value = copilot?.replyIn ?? 'thread';
    model.value = copilot?.model ?? '';
    baseUrl.value = copilot?.baseUrl ?? '';
    instructions.value = copilot?.instructions ?? '';
    setText(this.#save, t(copilot?.enabled ? 'save' : 'copilot.switch-on'));
    this.#remove.hidden = copilot === null;
    this.#isTouched = false;
    this.#showKey();
  }

  /** The providers of the server are listed before the kinds. */
  async #listProfiles(): Promise<void> {
    const { api, model } = this.#ui;
    if (!model.account.admin) return;
    const { providers } = await api
      .send<{ readonly providers: readonly WireProvider[] }>('GET', '/api/provider')
      .catch(() => ({ providers: [] }));
    this.#profiles = providers;
    for (const { name } of providers) offer(this.#fields.provider, name);
    this.#showKey();
  }

  #showKey(): void {
    const { value } = this.#fields.provider;
    const profile = this.#profiles.find(({ name }) => name === value);
    const info = this.#isMoved() ? undefined : this.#known?.apiKeyInfo;
    this.#keyLabel.hidden = (profile?.kind ?? value) === 'echo';
    setText(this.#keyHint, this.#keyLabel.hidden ? '' : keyWords(info, profile));
    this.#keyHint.hidden = this.#keyHint.textContent === '';
  }

  /** A key belongs to its provider. */
  #isMoved(): boolean {
    return this.#known !== null && this.#known.provider !== this.#fields.provider.value;
  }

  #wanted(): CopilotBody {
    const { provider, key, name, trigger, place, model, baseUrl, instructions } = this.#fields;
    return {
      ...(this.#known as CopilotBody | null),
      enabled: true,
      name: name.value,
      provider: provider.value,
      model: model.value.trim() || null,
      baseUrl: baseUrl.value.trim() || null,
      trigger: trigger.value as WireCopilot['trigger'],
      replyIn: place.value as WireCopilot['replyIn'],
      instructions: instructions.value,
      ...(this.#isMoved() ? { apiKey: null, secretRef: null } : {}),
      ...(key.value === '' ? {} : { apiKey: key.value }),
    };
  }

  /** Performs one action at a time, and shows its result below the buttons. */
  async #attempt(meanwhile: TextKey, act: () => Promise<string>): Promise<void> {
    const buttons = [this.#save, this.#test, this.#remove];
    if (this.element.getAttribute('aria-busy') === 'true') return;
    this.element.setAttribute('aria-busy', 'true');
    for (const button of buttons) button.setAttribute('aria-disabled', 'true');
    this.#result.textContent = t(meanwhile);
    try {
      this.#result.textContent = await act();
    } catch (error) {
      const isOld = error instanceof ApiError && error.code === 'version_mismatch';
      this.#result.textContent = isOld ? t('copilot.changed') : reasonOf(error);
    }
    this.element.removeAttribute('aria-busy');
    for (const button of buttons) button.removeAttribute('aria-disabled');
  }

  async #put(): Promise<WireCopilot> {
    const touches = this.#touches;
    const headers = this.#known ? { 'If-Match': `"c${this.#known.version}"` } : NEW_ONLY;
    const path = `/api/room/${this.#entry.room.id}/copilot`;
    const copilot = await this.#ui.api.send<WireCopilot>('PUT', path, { body: this.#wanted(), headers });
    this.#take(copilot, touches);
    return copilot;
  }

  async #store(): Promise<string> {
    const { trigger, name } = await this.#put();
    return trigger === 'mention' || trigger === 'always'
      ? t('copilot.saved-mention', { handle: handleOf(name) })
      : t('saved');
  }

  async #try(): Promise<string> {
    await this.#put();
    const path = `/api/room/${this.#entry.room.id}/copilot/test`;
    const { ok, latencyMs, model, error } = await this.#ui.api.send<WireCopilotTest>('POST', path);
    return ok
      ? t('copilot.works', { model: model ?? t('copilot.the-model'), n: latencyMs })
      : t('copilot.fails', { reason: error ?? t('copilot.no-answer') });
  }

  async #takeAway(): Promise<string> {
    const touches = this.#touches;
    await this.#ui.api.send('DELETE', `/api/room/${this.#entry.room.id}/copilot`, { headers: ANY_VERSION });
    this.#take(null, touches);
    return t('copilot.is-off');
  }

  /** Input since the request was sent stays. */
  #take(copilot: WireCopilot | null, touches: number): void {
    this.#entry.updateCopilot(copilot);
    if (this.#touches === touches) this.#fill();
    else this.#known = copilot;
    this.#ui.topics.changed('room');
  }
}

function createFields() {
  const providers: Readonly<Record<WireProvider['kind'], string>> = {
    echo: t('copilot.echo'),
    openai: t('copilot.openai'),
    anthropic: 'anthropic',
  };
  return {
    provider: choice(Object.entries(providers)),
    key: h('input', { type: 'password', autocomplete: 'off', 'aria-describedby': 'copilot-key-hint' }),
    name: h('input', { type: 'text', maxlength: 40 }),
    trigger: choice(TRIGGERS.map((value) => [value, t(`copilot.trigger.${value}`)])),
    place: choice(PLACES.map((value) => [value, t(`copilot.place.${value}`)])),
    model: h('input', { type: 'text', placeholder: t('copilot.as-provider') }),
    baseUrl: h('input', { type: 'text', placeholder: t('copilot.as-provider'), inputmode: 'url' }),
    instructions: h('textarea', {
      rows: 4,
      maxlength: 16_000,
      placeholder: t('copilot.instructions.hint'),
    }),
  } as const;
}

function keyWords(info: WireCopilot['apiKeyInfo'] | undefined, profile: WireProvider | undefined): string {
  if (info?.set && info.source !== 'profile')
    return info.last4 ? t('copilot.key.ends', { last: info.last4 }) : t('copilot.key.set');
  return profile?.apiKeyInfo.set ? t('copilot.key.provider') : '';
}

const choice = (options: readonly (readonly [string, string])[]): HTMLSelectElement =>
  h(
    'select',
    {},
    options.map(([value, label]) => h('option', { value }, label)),
  );

function offer(field: HTMLSelectElement, name: string): void {
  if ([...field.options].some(({ value }) => value === name)) return;
  field.prepend(h('option', { value: name }, name));
}
