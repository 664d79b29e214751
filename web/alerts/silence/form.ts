import type { Alert, Silence } from '../../../src/alerts/contract/wire.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import type { PageContext } from '../page.ts';
import { expectApiError } from '../states.ts';
import type { DraftField, SilenceDraft } from './draft.ts';
import { filledMatchers, findProblems, postableOf, replacesSilence } from './draft.ts';
import { MatcherRows } from './matcher-rows.ts';
import { SilencePreview } from './preview.ts';
import { ScheduleFields } from './schedule-fields.ts';

/** The form of a silence, beside the alerts that it would match. */
export class SilenceForm {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #draft: SilenceDraft;
  readonly #original: Silence | undefined;
  readonly #matchers: MatcherRows;
  readonly #schedule: ScheduleFields;
  readonly #creator: HTMLInputElement;
  readonly #comment: HTMLTextAreaElement;
  readonly #save = h('button', { type: 'submit', class: 'primary' }, 'Save the silence');
  readonly #error = h('p', { class: 'form-error', role: 'alert', hidden: true });
  readonly #replaces = h(
    'p',
    { class: 'hint', hidden: true },
    'Other matchers or another start make it a new silence; this one expires.',
  );
  readonly #preview: SilencePreview;
  readonly #abort = new AbortController();
  #alerts: readonly Alert[] | undefined;

  constructor(context: PageContext, draft: SilenceDraft, original?: Silence) {
    this.#context = context;
    this.#draft = draft;
    this.#original = original;
    this.#preview = new SilencePreview(context.api, context.clock, () => this.#alerts?.length);
    this.#matchers = new MatcherRows(draft.matchers, {
      onChange: () => this.#onMatchers(),
      names: () => [...new Set((this.#alerts ?? []).flatMap(({ labels }) => Object.keys(labels)))].sort(),
      values: (name) => [...new Set((this.#alerts ?? []).flatMap(({ labels }) => labels[name] ?? []))].sort(),
    });
    this.#schedule = new ScheduleFields(draft.span, context.clock, () => this.#onChange());
    this.#creator = h('input', {
      id: 'creator',
      type: 'text',
      autocomplete: 'name',
      value: draft.createdBy,
      'aria-describedby': 'createdBy-error',
    });
    this.#comment = h('textarea', { id: 'comment', rows: 3, 'aria-describedby': 'comment-error' }, draft.comment);
    this.element = this.#build();
    this.#preview.show(this.#matchers.matchers);
    void this.#loadAlerts();
  }

  /** Focuses the first field to fill in. */
  focus(): void {
    if (filledMatchers(this.#matchers.matchers).length === 0) this.#matchers.focus();
    else (this.#creator.value === '' ? this.#creator : this.#comment).focus({ preventScroll: true });
  }

  close(): void {
    this.#preview.close();
    this.#abort.abort();
  }

  #build(): HTMLElement {
    const onsubmit = (event: Event) => {
      event.preventDefault();
      void this.#submit();
    };
    const problem = (field: DraftField) =>
      h('p', { class: 'field-error', id: `${field}-error`, role: 'alert', hidden: true });
    const cancel = h('button', { type: 'button', onclick: () => this.#context.leave() }, 'Cancel');
    const form = h(
      'form',
      { class: 'silence-form', novalidate: true, onsubmit },
      h(
        'fieldset',
        { 'aria-describedby': 'matchers-error' },
        h('legend', {}, 'Which alerts'),
        h('p', { class: 'hint' }, 'An alert is silenced when all of these are true of it.'),
        this.#matchers.element,
        problem('matchers'),
      ),
      this.#schedule.element,
      h('div', { class: 'field' }, h('label', { for: 'creator' }, 'Created by'), this.#creator, problem('createdBy')),
      h('div', { class: 'field' }, h('label', { for: 'comment' }, 'Comment'), this.#comment, problem('comment')),
      this.#replaces,
      this.#error,
      h('div', { class: 'actions' }, this.#save, cancel),
    );
    return h('div', { class: 'form-columns' }, form, this.#preview.element);
  }

  #current(): SilenceDraft {
    const { id, annotations } = this.#draft;
    return {
      ...(id !== undefined && { id }),
      ...(annotations && { annotations }),
      matchers: this.#matchers.matchers,
      span: this.#schedule.span,
      createdBy: this.#creator.value,
      comment: this.#comment.value,
    };
  }

  #onMatchers(): void {
    this.#preview.show(this.#matchers.matchers);
    this.#onChange();
  }

  #onChange(): void {
    this.#replaces.hidden = !this.#original || !replacesSilence(this.#current(), this.#original);
  }

  /** Loads all alerts once, for proposals and for the warning about a silence that matches all. */
  async #loadAlerts(): Promise<void> {
    try {
      this.#alerts = await this.#context.api.alerts([], this.#abort.signal);
      if (!this.#abort.signal.aborted) this.#preview.show(this.#matchers.matchers);
    } catch (error) {
      // The preview shows the error; proposals are optional.
      expectApiError(error);
    }
  }

  async #submit(): Promise<void> {
    const { api, clock, settings, memory, navigate } = this.#context;
    const draft = this.#current();
    if (!this.#showProblems(draft)) return;
    this.#save.disabled = true;
    this.#error.hidden = true;
    try {
      const id = await api.saveSilence(postableOf(draft, clock.now()));
      settings.change({ creator: draft.createdBy.trim() });
      memory.notice = 'The silence is saved.';
      navigate({ page: 'silence', id }, { replace: true });
    } catch (error) {
      setText(this.#error, expectApiError(error).message);
      this.#error.hidden = false;
    } finally {
      this.#save.disabled = false;
    }
  }

  /** Marks the fields that keep the draft from being saved and goes to the first; true when there are none. */
  #showProblems(draft: SilenceDraft): boolean {
    const problems = findProblems(draft, this.#context.clock.now());
    const fields: readonly [DraftField, HTMLElement | undefined][] = [
      ['matchers', undefined],
      ['end', this.#schedule.end],
      ['createdBy', this.#creator],
      ['comment', this.#comment],
    ];
    for (const [field, input] of fields) {
      const problem = problems.find((found) => found.field === field);
      const place = this.element.querySelector<HTMLElement>(`#${field}-error`);
      if (place) {
        setText(place, problem?.text ?? '');
        place.hidden = !problem;
      }
      if (input) setAttribute(input, 'aria-invalid', problem && 'true');
    }
    const first = problems[0]?.field;
    if (first === 'matchers') this.#matchers.focus();
    else fields.find(([field]) => field === first)?.[1]?.focus();
    return problems.length === 0;
  }
}
