import { h } from '../../shared/dom.ts';
import { formError } from '../../shared/shell/states.ts';
import type { ApiError } from '../api.ts';
import type { Page, PageContext } from '../page.ts';
import { parseMatchers } from '../parts/matcher-text.ts';
import type { NewSilenceRoute, Route } from '../route.ts';
import { formatHash } from '../route.ts';
import { errorBox, expectApiError, loadingBox, stateBox } from '../states.ts';
import { t } from '../text.ts';
import { splitMatcherSets } from './cover.ts';
import { DEFAULT_DURATION_MS, draftOfSilence } from './form/draft.ts';
import { SilenceForm } from './form/form.ts';

/** The page with the form of a silence: a new one, or one that is loaded first. */
export class SilenceFormPage implements Page {
  readonly element = h('div', { class: 'page' });
  readonly #context: PageContext;
  readonly #title = h('h1', { tabindex: -1 });
  readonly #body = h('div', { class: 'silence-details' });
  readonly #abort = new AbortController();
  /** The current hash; another one needs another form. */
  readonly #hash: string;
  #form: SilenceForm | undefined;

  private constructor(context: PageContext, route: Route) {
    this.#context = context;
    this.#hash = formatHash(route);
    this.element.append(
      h('p', { class: 'crumb' }, h('a', { href: '#/silences' }, t('silence.title'))),
      this.#title,
      this.#body,
    );
  }

  static forNew(context: PageContext, route: NewSilenceRoute): SilenceFormPage {
    const page = new SilenceFormPage(context, route);
    page.#setTitle(t('silence.new'));
    const parsed = splitMatcherSets(route.filter).map(parseMatchers);
    const sets = parsed.map((one) => ('matchers' in one ? one.matchers : []));
    const draft = {
      matchers: sets[0] ?? [],
      span: { end: { forMs: DEFAULT_DURATION_MS } },
      createdBy: route.creator || context.settings.values.creator,
      comment: route.comment,
    };
    const form = new SilenceForm(context, { draft, ...(sets.length > 1 && { sets }) });
    page.#form = form;
    const problem = parsed.flatMap((one) => ('problem' in one ? one.problem : []))[0];
    if (problem !== undefined) page.#body.append(formError(t('silence.link.unreadable', { problem })));
    page.#body.append(form.element);
    return page;
  }

  static forSilence(context: PageContext, id: string): SilenceFormPage {
    const page = new SilenceFormPage(context, { page: 'edit-silence', id });
    page.#setTitle(t('silence.edit.title'));
    void page.#load(id);
    return page;
  }

  follow(route: Route): boolean {
    return formatHash(route) === this.#hash;
  }

  focus(): void {
    if (this.#form) this.#form.focus();
    else this.#title.focus({ preventScroll: true });
  }

  close(): void {
    this.#form?.close();
    this.#abort.abort();
  }

  async #load(id: string): Promise<void> {
    this.#body.replaceChildren(loadingBox(t('silence.one')));
    try {
      const silence = await this.#context.api.silence(id, this.#abort.signal);
      if (this.#abort.signal.aborted) return;
      if (silence.status.state === 'expired') this.#setTitle(t('silence.recreate.title'));
      this.#form = new SilenceForm(this.#context, { draft: draftOfSilence(silence), original: silence });
      this.#body.replaceChildren(this.#form.element);
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#fail(expectApiError(error), id);
    }
  }

  #fail(error: ApiError, id: string): void {
    const gone = error.status === 404 || error.status === 422;
    const link = h('a', { class: 'button', href: '#/silences' }, t('silence.to-list'));
    const box = gone
      ? stateBox(t('silence.unknown'), '', link)
      : errorBox(t('silence.one'), error, () => void this.#load(id));
    this.#body.replaceChildren(box);
  }

  #setTitle(title: string): void {
    this.#title.textContent = title;
    document.title = `${title} · opsdeck`;
  }
}
