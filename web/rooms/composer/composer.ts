import type { WireCommand } from '../../../src/rooms/contract/command.ts';
import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { summaryOf } from '../message/body.ts';
import { t } from '../text/text.ts';
import type { Mentionable } from './completion.ts';
import { Suggestions } from './suggestions.ts';
import type { Uploads } from './uploads.ts';

export interface ComposerHooks {
  send(text: string, replyTo: WireMessage | undefined): void;
  /** Saves an edit; resolves with the reason if it is refused. */
  save(message: WireMessage, text: string): Promise<string | undefined>;
  /** The user is typing. */
  typing(): void;
  /** The user's last message, which the arrow key edits. */
  lastOwn(): WireMessage | undefined;
  people(): readonly Mentionable[];
  /** The slash commands; `arrived` is called when they are known later. */
  commands(arrived: () => void): readonly WireCommand[];
  /** The text has changed; empty after it was sent. */
  draft(text: string): void;
  /** Moves the focus to the messages. */
  leave(): void;
}

/** A longer pasted text becomes a file. */
const LONG_PASTE = 6000;

/** The field in which messages are written, with its attachments and completions. */
export class Composer {
  readonly element: HTMLFormElement;
  readonly field: HTMLTextAreaElement;
  readonly #hooks: ComposerHooks;
  readonly #uploads: Uploads;
  readonly #banner = h('div', { class: 'composer-banner', hidden: true });
  readonly #problem = h('p', { class: 'composer-problem', role: 'alert', hidden: true });
  readonly #suggestions: Suggestions;
  readonly #send: HTMLButtonElement;
  #replyTo: WireMessage | undefined;
  #edits: WireMessage | undefined;
  /** What was in the field before the edit. */
  #unsent = '';

  constructor(hooks: ComposerHooks, uploads: Uploads, label: string) {
    this.#hooks = hooks;
    this.#uploads = uploads;
    this.field = h('textarea', {
      rows: 1,
      'aria-label': label,
      'aria-haspopup': 'listbox',
      'aria-autocomplete': 'list',
      enterkeyhint: 'send',
      autocomplete: 'off',
    });
    this.#suggestions = new Suggestions(
      this.field,
      (arrived) => ({ people: () => hooks.people(), commands: () => hooks.commands(arrived) }),
      (text, caret) => {
        this.text = text;
        this.field.setSelectionRange(caret, caret);
        hooks.draft(text);
      },
    );
    this.#send = h(
      'button',
      { type: 'submit', class: 'send', 'aria-label': t('composer.send'), title: t('composer.send.key') },
      icon('send'),
    );
    const picker = h('input', {
      type: 'file',
      multiple: true,
      class: 'off-screen',
      tabindex: -1,
      'aria-label': t('composer.files'),
    });
    picker.addEventListener('change', () => {
      this.#uploads.add([...(picker.files ?? [])]);
      picker.value = '';
    });
    const attach = h(
      'button',
      {
        type: 'button',
        class: 'icon-button',
        'aria-label': t('composer.attach'),
        title: t('composer.attach'),
        onclick: () => picker.click(),
      },
      icon('attach'),
    );
    this.element = h(
      'form',
      { class: 'composer' },
      this.#problem,
      this.#banner,
      uploads.element,
      h('div', { class: 'composer-row' }, attach, picker, this.field, this.#send),
      this.#suggestions.element,
    );
    this.#listen();
  }

  set placeholder(text: string) {
    this.field.placeholder = text;
  }

  /** Why the user may not write here. */
  set closed(reason: string | undefined) {
    this.element.inert = reason !== undefined;
    this.element.classList.toggle('closed', reason !== undefined);
    if (reason !== undefined) this.placeholder = reason;
  }

  get text(): string {
    return this.field.value;
  }

  set text(text: string) {
    this.field.value = text;
    this.#suggestions.close();
    this.#fit();
    this.#showProblem('');
  }

  /** Whether nothing is written, attached or edited. */
  get isFree(): boolean {
    return this.text === '' && !this.#edits && !this.#replyTo && this.#uploads.isUnused;
  }

  get isEditing(): boolean {
    return this.#edits !== undefined;
  }

  /** Puts a text back before anything written since; `problem`: why, `''` if the user has asked for it. */
  takeBack(text: string, problem: string, replyTo: WireMessage | undefined): void {
    const since = this.text;
    if (replyTo) this.replyTo(replyTo);
    this.text = since === '' ? text : `${text}\n${since}`;
    this.#hooks.draft(this.text);
    this.#showProblem(problem);
  }

  focus(): void {
    this.field.focus();
  }

  replyTo(message: WireMessage | undefined): void {
    this.#replyTo = message;
    this.#edits = undefined;
    this.field.readOnly = false;
    this.#showBanner();
    if (message) this.focus();
  }

  edit(message: WireMessage): void {
    this.#replyTo = undefined;
    if (!this.#edits) this.#unsent = this.text;
    this.#edits = message;
    this.text = message.body;
    this.#showBanner();
    this.focus();
  }

  #listen(): void {
    const { field } = this;
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    field.addEventListener('input', () => {
      this.#fit();
      this.#suggestions.look();
      if (!this.#edits) this.#hooks.draft(this.text);
      if (this.text.trim() !== '' && !this.#edits && !this.text.startsWith('/')) this.#hooks.typing();
    });
    field.addEventListener('keydown', (event) => this.#onKey(event));
    field.addEventListener('paste', (event) => this.#onPaste(event));
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (this.#suggestions.takeKey(event)) event.preventDefault();
    else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === 'ArrowUp' && this.text === '' && !this.#edits) {
      const last = this.#hooks.lastOwn();
      if (!last) return;
      event.preventDefault();
      this.edit(last);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      if (this.#edits || this.#replyTo) this.#cancel();
      else this.#hooks.leave();
    }
  }

  #onPaste(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])];
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (files.length === 0 && text.length <= LONG_PASTE) return;
    event.preventDefault();
    this.#uploads.add(files.length > 0 ? files : [new File([text], 'pasted.txt', { type: 'text/plain' })]);
  }

  #submit(): void {
    const text = this.text.trim();
    if ((text === '' && this.#uploads.isEmpty) || this.#uploads.isBusy) return;
    if (this.#edits) {
      if (text !== '' && !this.field.readOnly) void this.#save(this.#edits, text);
      return;
    }
    this.#hooks.send(text, this.#replyTo);
    this.#cancel();
    this.#hooks.draft('');
  }

  /** A refused edit stays in the field. */
  async #save(message: WireMessage, text: string): Promise<void> {
    this.field.readOnly = true;
    const reason = await this.#hooks.save(message, text);
    this.field.readOnly = false;
    if (this.#edits !== message) return;
    if (reason === undefined) this.#cancel();
    else this.#showProblem(t('composer.not-saved', { reason }));
  }

  #cancel(): void {
    const wasEdit = this.#edits !== undefined;
    this.#edits = undefined;
    this.#replyTo = undefined;
    this.#showBanner();
    this.text = wasEdit ? this.#unsent : '';
  }

  #showBanner(): void {
    const message = this.#edits ?? this.#replyTo;
    this.#banner.hidden = message === undefined;
    this.#send.setAttribute('aria-label', t(this.#edits ? 'composer.save' : 'composer.send'));
    if (!message) return;
    this.#banner.replaceChildren(
      icon(this.#edits ? 'edit' : 'reply'),
      h(
        'span',
        {},
        `${t(this.#edits ? 'composer.editing' : 'composer.replying')} `,
        !this.#edits && h('strong', {}, message.author.name),
        !this.#edits && `: ${summaryOf(message, 80)}`,
      ),
      h(
        'button',
        { type: 'button', class: 'icon-button', 'aria-label': t('cancel'), onclick: () => this.#cancel() },
        icon('close'),
      ),
    );
  }

  #showProblem(text: string): void {
    this.#problem.hidden = text === '';
    this.#problem.replaceChildren(icon('warning'), text);
  }

  /** Fits the height to the text, up to a third of the window. */
  #fit(): void {
    const { field } = this;
    field.style.height = 'auto';
    field.style.height = `${Math.min(field.scrollHeight, Math.max(120, innerHeight / 3))}px`;
  }
}
