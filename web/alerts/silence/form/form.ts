import type { Alert, Matcher, Silence } from '../../../../src/alerts/contract/wire.ts';
import { h, setAttribute, setText } from '../../../shared/dom.ts';
import { fieldError, formError } from '../../../shared/shell/states.ts';
import type { PageContext } from '../../page.ts';
import { formatMatchers } from '../../parts/matcher-text.ts';
import { expectApiError } from '../../states.ts';
import { t } from '../../text.ts';
import { performEach } from '../bulk.ts';
import { AboutFields } from './about-fields.ts';
import type { DraftField, SilenceDraft } from './draft.ts';
import {
  DEFAULT_DURATION_MS,
  filledMatchers,
  findProblems,
  postableOf,
  replacesSilence,
  resolveSpan,
} from './draft.ts';
import { MatcherRows } from './matcher-rows.ts';
import { MatcherSets } from './matcher-sets.ts';
import { SilencePreview } from './preview.ts';
import { ScheduleFields } from './schedule-fields.ts';
import { TemplateFields } from './template-fields.ts';
import type { SilenceTemplate } from './templates.ts';

export interface FormParts {
  readonly draft: SilenceDraft;
  /** The silence that is edited. */
  readonly original?: Silence;
  /** The matchers of several silences that are made together; otherwise those of the draft are edited. */
  readonly sets?: readonly (readonly Matcher[])[];
}

/** The form of a silence or of several that differ in their matchers, beside the alerts that they would match. */
export class SilenceForm {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #parts: FormParts;
  readonly #matchers: MatcherRows | MatcherSets;
  readonly #schedule: ScheduleFields;
  readonly #about: AboutFields;
  readonly #save = h('button', { type: 'submit', class: 'primary', 'aria-keyshortcuts': 'Control+Enter' });
  readonly #error = formError();
  readonly #replaces = h('p', { class: 'hint', hidden: true }, t('silence.form.replaces'));
  readonly #preview: SilencePreview;
  readonly #abort = new AbortController();
  #alerts: readonly Alert[] | undefined;
  /** The matchers of the chosen template, which another template may replace. */
  #templated = '';

  constructor(context: PageContext, parts: FormParts) {
    const { draft, sets } = parts;
    this.#context = context;
    this.#parts = parts;
    this.#preview = new SilencePreview(context.api, context.clock, () => this.#alerts?.length);
    this.#matchers = sets
      ? new MatcherSets(sets, () => this.#onMatchers())
      : new MatcherRows(draft.matchers, {
          onChange: () => this.#onMatchers(),
          names: () => [...new Set((this.#alerts ?? []).flatMap(({ labels }) => Object.keys(labels)))].sort(),
          values: (name) => [...new Set((this.#alerts ?? []).flatMap(({ labels }) => labels[name] ?? []))].sort(),
        });
    this.#schedule = new ScheduleFields(draft.span, context.clock, () => this.#onChange());
    this.#about = new AboutFields(draft);
    this.element = this.#build();
    this.#onMatchers();
    void this.#loadAlerts();
  }

  /** Focuses the first field to fill in. */
  focus(): void {
    const { creator, comment } = this.#about;
    if (this.#matchers.sets.every((matchers) => filledMatchers(matchers).length === 0)) this.#matchers.focus();
    else (creator.value === '' ? creator : comment).focus({ preventScroll: true });
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
    const cancel = h('button', { type: 'button', onclick: () => this.#context.leave() }, t('silence.cancel'));
    const templates = new TemplateFields({
      use: (template) => this.#use(template),
      current: (name) => this.#asTemplate(name),
    });
    const form = h(
      'form',
      { class: 'silence-form', novalidate: true, onsubmit },
      templates.choice,
      h(
        'fieldset',
        { 'aria-describedby': 'matchers-error' },
        h('legend', {}, t('silence.form.which')),
        this.#matchers instanceof MatcherRows && h('p', { class: 'hint' }, t('silence.form.which.hint')),
        this.#matchers.element,
        fieldError('matchers-error'),
      ),
      this.#schedule.element,
      this.#about.element,
      this.#replaces,
      this.#error,
      h(
        'div',
        { class: 'actions form-actions' },
        this.#save,
        cancel,
        h('kbd', { 'aria-hidden': 'true' }, 'Ctrl ↵'),
        templates.saving,
      ),
    );
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    return h('div', { class: 'form-columns' }, form, this.#preview.element);
  }

  #drafts(): readonly SilenceDraft[] {
    const { id } = this.#parts.draft;
    const { annotations } = this.#about;
    return this.#matchers.sets.map((matchers) => ({
      ...(id !== undefined && { id }),
      ...(annotations && { annotations }),
      matchers,
      span: this.#schedule.span,
      createdBy: this.#about.creator.value,
      comment: this.#about.comment.value,
    }));
  }

  #onMatchers(): void {
    this.#preview.show(this.#matchers.sets);
    setText(this.#save, t('silence.form.save', { n: this.#matchers.sets.length }));
    this.#onChange();
  }

  #onChange(): void {
    const [draft] = this.#drafts();
    const { original } = this.#parts;
    this.#replaces.hidden = !draft || !original || !replacesSilence(draft, original);
  }

  /** Matchers of a template replace none of the user's. */
  #use({ matchers, durationMs, comment, expiresWhenResolved }: SilenceTemplate): void {
    if (this.#matchers instanceof MatcherRows) {
      const known = filledMatchers(this.#matchers.matchers);
      if (known.length === 0 || formatMatchers(known) === this.#templated) {
        this.#templated = formatMatchers(matchers);
        this.#matchers.replace(matchers);
      }
    }
    this.#schedule.setDuration(durationMs);
    this.#about.comment.value = comment;
    this.#about.expires.checked = expiresWhenResolved;
  }

  #asTemplate(name: string): SilenceTemplate {
    const { startAt, endAt } = resolveSpan(this.#schedule.span, this.#context.clock.now());
    return {
      name,
      matchers: this.#matchers instanceof MatcherRows ? filledMatchers(this.#matchers.matchers) : [],
      durationMs: endAt > startAt ? endAt - startAt : DEFAULT_DURATION_MS,
      comment: this.#about.comment.value.trim(),
      expiresWhenResolved: this.#about.expires.checked,
    };
  }

  /** Loads all alerts once, for proposals and for the warning about a silence that matches all. */
  async #loadAlerts(): Promise<void> {
    try {
      this.#alerts = await this.#context.api.alerts([], this.#abort.signal);
      if (!this.#abort.signal.aborted) this.#preview.show(this.#matchers.sets);
    } catch (error) {
      // The preview shows the error; proposals are optional.
      expectApiError(error);
    }
  }

  async #submit(): Promise<void> {
    const { api, clock, settings } = this.#context;
    const drafts = this.#drafts();
    if (!this.#showProblems(drafts)) return;
    this.#save.disabled = true;
    setText(this.#error, '');
    const now = clock.now();
    const { done, failed } = await performEach(drafts, (draft) => api.saveSilence(postableOf(draft, now)));
    this.#save.disabled = false;
    if (done.length > 0) settings.change({ creator: this.#about.creator.value.trim() });
    const [failure] = failed;
    if (!failure) return this.#leave(done.map(({ result }) => result));
    const why = failure.error.message;
    setText(
      this.#error,
      done.length === 0 ? why : t('silence.form.partly', { done: done.length, n: drafts.length, why }),
    );
    // A saved silence is not saved again.
    if (this.#matchers instanceof MatcherSets) this.#matchers.remove(done.map(({ item }) => item.matchers));
  }

  /** Goes to the saved silence, or to the list of them. */
  #leave(ids: readonly string[]): void {
    const { shell, navigate } = this.#context;
    const [id] = ids;
    const isOne = id !== undefined && ids.length === 1;
    shell.toasts.show(isOne ? t('silence.saved') : t('silence.saved.several', { n: ids.length }));
    navigate(isOne ? { page: 'silence', id } : { page: 'silences', tab: 'active', filter: '' }, { replace: true });
  }

  /** Marks the fields that keep the drafts from being saved and goes to the first; true when there are none. */
  #showProblems(drafts: readonly SilenceDraft[]): boolean {
    const now = this.#context.clock.now();
    const problems = drafts.flatMap((draft) => findProblems(draft, now));
    const fields: readonly [DraftField, HTMLElement | undefined][] = [
      ['matchers', undefined],
      ['end', this.#schedule.end],
      ['createdBy', this.#about.creator],
      ['comment', this.#about.comment],
    ];
    for (const [field, input] of fields) {
      const problem = problems.find((found) => found.field === field);
      const place = this.element.querySelector<HTMLElement>(`#${field}-error`);
      if (place) setText(place, problem ? t(problem.text) : '');
      if (input) setAttribute(input, 'aria-invalid', problem && 'true');
    }
    const first = fields.find(([field]) => problems.some((problem) => problem.field === field));
    if (first?.[0] === 'matchers') this.#matchers.focus();
    else first?.[1]?.focus();
    return problems.length === 0;
  }
}
