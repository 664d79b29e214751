import type { Explanation } from '../../../src/alerts/contract/explanation.ts';
import type { Routing } from '../../../src/alerts/contract/routing.ts';
import { h, setText } from '../../shared/dom.ts';
import { fieldError } from '../../shared/shell/states.ts';
import { labelParameters } from '../api.ts';
import type { Page, PageContext } from '../page.ts';
import { parseMatchers } from '../parts/matcher-text.ts';
import type { Route } from '../route.ts';
import { errorBox, expectApiError, loadingBox } from '../states.ts';
import { t } from '../text.ts';
import { receiverList, routeTree } from './tree.ts';

type RoutingRoute = Extract<Route, { page: 'routing' }>;

/** The routing tree as a diagram, and a form that marks the routes of an alert in it. */
export class RoutingPage implements Page {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #field = h('input', {
    id: 'routing-labels',
    type: 'text',
    placeholder: t('routing.labels.hint'),
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-describedby': 'routing-error',
  });
  readonly #error = fieldError('routing-error');
  readonly #result = h('p', { class: 'routing-result', role: 'status' });
  readonly #tree = h('div', { class: 'routing-parts' }, loadingBox(t('routing.what')));
  readonly #abort = new AbortController();
  #routing: Routing | undefined;
  #route: RoutingRoute;

  constructor(context: PageContext, route: RoutingRoute) {
    this.#context = context;
    this.#route = route;
    document.title = `${t('routing.title')} · opsdeck`;
    const submit = (event: Event) => {
      event.preventDefault();
      context.navigate({ page: 'routing', labels: this.#field.value.trim() });
    };
    this.element = h(
      'div',
      { class: 'page' },
      h('div', { class: 'page-head' }, h('h1', { tabindex: -1 }, t('routing.title'))),
      h(
        'form',
        { class: 'panel routing-form', 'aria-label': t('routing.try'), onsubmit: submit },
        h('h2', {}, t('routing.try')),
        h('label', { for: 'routing-labels' }, t('routing.labels')),
        h(
          'div',
          { class: 'routing-fields' },
          this.#field,
          h('button', { type: 'submit', class: 'primary' }, t('routing.find')),
        ),
        this.#error,
        this.#result,
      ),
      this.#tree,
    );
    void this.#load();
  }

  follow(route: Route): boolean {
    if (route.page !== 'routing') return false;
    this.#route = route;
    void this.#explain();
    return true;
  }

  close(): void {
    this.#abort.abort();
  }

  async #load(): Promise<void> {
    try {
      this.#routing = await this.#context.api.report('routes', {}, this.#abort.signal);
      await this.#explain();
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#tree.replaceChildren(errorBox(t('routing.what'), expectApiError(error), () => void this.#load()));
    }
  }

  /** Marks the routes of the labels in the link. */
  async #explain(): Promise<void> {
    const { labels: text } = this.#route;
    this.#field.value = text;
    const labels = readLabels(text);
    setText(this.#error, text !== '' && !labels ? t('routing.bad-label') : '');
    if (!labels) return this.#draw(undefined);
    try {
      this.#draw(await this.#context.api.report('explain', labelParameters(labels), this.#abort.signal));
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#draw(undefined);
      setText(this.#error, expectApiError(error).message);
    }
  }

  #draw(explanation: Explanation | undefined): void {
    this.#result.replaceChildren(...(explanation ? resultOf(explanation) : []));
    if (!this.#routing) return;
    const taken = new Set(explanation?.routes.map(({ routeId }) => routeId));
    this.#tree.replaceChildren(
      h(
        'section',
        { class: 'routing-part', 'aria-label': t('routing.tree') },
        h('h2', {}, t('routing.tree')),
        routeTree(this.#routing.root, taken),
      ),
      h(
        'section',
        { class: 'routing-part', 'aria-label': t('routing.receivers') },
        h('h2', {}, t('routing.receivers')),
        receiverList(this.#routing),
      ),
    );
  }
}

function resultOf({ routes, silencedBy, inhibitedBy }: Explanation): (Node | string)[] {
  return [
    `${t('routing.result')} `,
    h('strong', {}, [...new Set(routes.map(({ receiver }) => receiver))].join(', ')),
    '. ',
    silencedBy.length > 0 ? `${t('routing.result.silenced')} ` : '',
    inhibitedBy.length > 0 ? t('routing.result.inhibited') : '',
  ];
}

/** Of `name=value` pairs as they are typed; undefined for anything else. */
export function readLabels(text: string): Readonly<Record<string, string>> | undefined {
  const parsed = parseMatchers(text);
  if (!('matchers' in parsed) || parsed.matchers.length === 0) return undefined;
  if (parsed.matchers.some(({ isRegex, isEqual }) => isRegex || !isEqual)) return undefined;
  return Object.fromEntries(parsed.matchers.map(({ name, value }) => [name, value]));
}
