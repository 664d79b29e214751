import type { FlagList, FlagRow } from '../../../src/relay/contract/page.ts';
import { h, setAttribute, setText, syncChildren } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { stateBox } from '../../shared/shell/states.ts';
import type { PageContext } from '../page.ts';
import { shareBar, swatch } from '../parts/share-bar.ts';
import { FILTERS, type Filter, filterFlags } from './list.ts';

/** More rows would slow the page down. */
const ROWS_AT_ONCE = 200;

/** The searchable list of flags. */
export class ListPanel {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #search: HTMLInputElement;
  readonly #filter: HTMLSelectElement;
  readonly #count = h('p', { class: 'count', role: 'status' });
  #title = h('h1', { tabindex: -1 });
  readonly #rows = h('ul', { class: 'rows' });
  readonly #more = h('button', { type: 'button', class: 'more', hidden: true });
  readonly #empty = h('div', { hidden: true });
  /** By key, with a signature of what is shown. */
  readonly #known = new Map<string, { readonly element: HTMLElement; readonly signature: string }>();
  #list: FlagList | undefined;
  #selected: string | undefined;
  #limit = ROWS_AT_ONCE;

  constructor(context: PageContext) {
    const { t } = context.ui;
    this.#context = context;
    this.#title.textContent = t('flags');
    this.#search = h('input', {
      type: 'search',
      'aria-label': t('search'),
      placeholder: t('search.hint'),
      'aria-keyshortcuts': '/',
    });
    this.#search.addEventListener('input', () => this.#restart());
    const options = FILTERS.map((value) => h('option', { value }, t(`show.${value}`)));
    this.#filter = h('select', { 'aria-label': t('show') }, options);
    this.#filter.addEventListener('change', () => this.#restart());
    this.#more.addEventListener('click', () => {
      this.#limit += ROWS_AT_ONCE;
      this.#draw();
    });
    const heads = ['flag', 'default', 'last-change', 'evaluations', 'requested'] as const;
    this.element = h(
      'section',
      { class: 'list', 'aria-label': t('flags') },
      h(
        'div',
        { class: 'list-head' },
        this.#title,
        this.#count,
        h('div', { class: 'search' }, icon('search'), this.#search),
        this.#filter,
      ),
      h(
        'div',
        { class: 'row-heads', 'aria-hidden': 'true' },
        heads.map((key) => h('span', {}, t(key))),
      ),
      this.#rows,
      this.#empty,
      this.#more,
    );
  }

  focus(): void {
    this.#search.focus();
  }

  /** Undefined: not loaded yet. */
  show(list: FlagList | undefined, isReady: boolean): void {
    this.#list = list;
    this.#draw(isReady);
  }

  select(key: string | undefined): void {
    this.#selected = key;
    // Beside a flag the title of the page is the flag's.
    const level = key === undefined ? 'h1' : 'h2';
    if (this.#title.localName !== level) {
      const title = h(level, { tabindex: -1 }, this.#context.ui.t('flags'));
      this.#title.replaceWith(title);
      this.#title = title;
    }
    for (const [known, { element }] of this.#known) markCurrent(element, known === key);
  }

  #restart(): void {
    this.#limit = ROWS_AT_ONCE;
    this.#draw();
  }

  #draw(isReady = true): void {
    const { t, now } = { t: this.#context.ui.t, now: this.#context.ui.now() };
    const all = this.#list?.flags ?? [];
    const filter = this.#filter.value as Filter;
    const found = filterFlags(all, this.#search.value, filter, now);
    const isWhole = found.length === all.length;
    const count = isWhole
      ? t('flags.count', { n: all.length })
      : t('flags.shown', { n: found.length, total: all.length });
    setText(this.#count, this.#list ? count : '');
    const shown = found.slice(0, this.#limit);
    const keys = new Set(shown.map(({ key }) => key));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    syncChildren(
      this.#rows,
      shown.map((row) => this.#rowOf(row)),
    );
    const rest = found.length - shown.length;
    this.#more.hidden = rest === 0;
    setText(this.#more, t('flags.more', { n: Math.min(rest, ROWS_AT_ONCE) }));
    this.#showEmpty(
      found.length > 0 || !this.#list
        ? undefined
        : all.length > 0
          ? 'flags.none'
          : isReady
            ? 'flags.empty'
            : 'flags.waiting',
    );
  }

  /** Shows why there are no rows; undefined: there are some. */
  #showEmpty(why: 'flags.none' | 'flags.empty' | 'flags.waiting' | undefined): void {
    this.#empty.hidden = why === undefined;
    if (why === undefined || this.#empty.dataset.why === why) return;
    this.#empty.dataset.why = why;
    const { t } = this.#context.ui;
    const actions =
      why === 'flags.none' ? [h('button', { type: 'button', onclick: () => this.#clear() }, t('back'))] : [];
    this.#empty.replaceChildren(stateBox(t(why), '', ...actions));
  }

  #clear(): void {
    this.#search.value = '';
    this.#filter.value = FILTERS[0];
    this.#restart();
    this.#search.focus();
  }

  #rowOf(row: FlagRow): HTMLElement {
    const signature = JSON.stringify(row);
    const known = this.#known.get(row.key);
    if (known?.signature === signature) return known.element;
    const element = this.#createRow(row);
    markCurrent(element, row.key === this.#selected);
    const hadFocus = known?.element.contains(document.activeElement) ?? false;
    this.#known.set(row.key, { element, signature });
    if (hadFocus) queueMicrotask(() => element.querySelector('a')?.focus({ preventScroll: true }));
    return element;
  }

  #createRow({ key, on, default: shares, changedAt, evaluations, requestedAt }: FlagRow): HTMLElement {
    const { ui, hashOf } = this.#context;
    const [first] = shares;
    const served =
      shares.length === 1 && first
        ? h('span', { class: 'served' }, swatch(first.variation), h('code', {}, first.value))
        : h(
            'span',
            { class: 'served split' },
            shareBar(shares.map(({ variation, percent }) => ({ index: variation, share: percent }))),
            h('code', {}, shares.map(({ value, percent }) => `${ui.percent(percent / 100)} ${value}`).join(', ')),
          );
    return h(
      'li',
      { class: 'row' },
      h(
        'span',
        { class: 'row-flag' },
        h('span', { class: 'onoff', 'data-on': String(on) }, ui.t(on ? 'on' : 'off')),
        h('a', { href: hashOf(key) }, key),
      ),
      served,
      h(
        'span',
        { class: changedAt === null ? 'cell none' : 'cell changed' },
        changedAt === null ? '–' : ui.time(changedAt),
      ),
      h('span', { class: 'cell number' }, ui.number(evaluations)),
      h('span', { class: 'cell' }, requestedAt === null ? '–' : ui.time(requestedAt)),
    );
  }
}

function markCurrent(row: HTMLElement, isCurrent: boolean): void {
  const link = row.querySelector('a');
  if (link) setAttribute(link, 'aria-current', isCurrent && 'true');
}
