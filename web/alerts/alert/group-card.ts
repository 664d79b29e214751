import type { LabelSet } from '../../../src/alerts/contract/wire.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { formatMatchers, matchersOfLabels } from '../parts/matcher-text.ts';
import { newSilenceHash } from '../route.ts';
import { t } from '../text.ts';
import { labelList } from './label-chip.ts';
import type { GroupView } from './list.ts';
import type { AlertRowParts } from './row.ts';
import { AlertRows } from './rows.ts';
import { toneOf } from './severity.ts';
import { severityCounts } from './severity-counts.ts';
import { groupNameOf } from './title.ts';

let lastId = 0;

/** One alert group: a line that opens and closes, then the shared labels and the alerts. */
export class GroupCard {
  readonly element: HTMLElement;
  readonly #parts: AlertRowParts;
  readonly #toggle = h('button', { type: 'button', class: 'group-toggle', 'data-stop': true, tabindex: -1 });
  readonly #counts = h('span', { class: 'group-counts' });
  readonly #receivers = h('span', { class: 'receiver', title: t('alert.receivers') });
  readonly #silence = h('a', { class: 'button small', tabindex: -1 });
  readonly #body: HTMLElement;
  #rows: AlertRows | undefined;
  #shared: { readonly signature: string; readonly element: HTMLElement } | undefined;
  #view: GroupView;
  #open: boolean;
  #counted = '';

  constructor(view: GroupView, open: boolean, parts: AlertRowParts, onToggle: (open: boolean) => void) {
    this.#parts = parts;
    this.#view = view;
    this.#open = open;
    const id = `group-${++lastId}`;
    this.#body = h('div', { class: 'group-body', id });
    setAttribute(this.#toggle, 'aria-controls', id);
    this.#toggle.append(...groupName(view.labels));
    this.#toggle.addEventListener('click', () => {
      this.#open = !this.#open;
      this.#draw();
      onToggle(this.#open);
    });
    const head = h(
      'div',
      { class: 'group-head' },
      h('h2', {}, this.#toggle),
      this.#counts,
      this.#receivers,
      this.#silence,
    );
    this.element = h('section', { class: 'group', 'aria-label': groupNameOf(view.labels) }, head, this.#body);
    this.#draw();
  }

  get view(): GroupView {
    return this.#view;
  }

  update(view: GroupView, open: boolean): void {
    this.#view = view;
    this.#open = open;
    this.#draw();
  }

  #draw(): void {
    const { alerts, severities, labels, shared, receivers } = this.#view;
    setAttribute(this.element, 'data-tone', toneOf(severities[0]?.severity));
    setAttribute(this.#toggle, 'aria-expanded', String(this.#open));
    const counted = JSON.stringify(severities);
    if (counted !== this.#counted) this.#counts.replaceChildren(...severityCounts(severities));
    this.#counted = counted;
    setText(this.#receivers, receivers.join(', '));
    this.#drawSilence({ ...labels, ...shared }, alerts.length);
    this.#body.hidden = !this.#open;
    if (!this.#open) {
      // A closed group costs nothing: its alerts are drawn when it opens.
      this.#body.replaceChildren();
      this.#rows = undefined;
      this.#shared = undefined;
      return;
    }
    this.#drawShared();
    if (!this.#rows) {
      this.#rows = new AlertRows(this.#parts, t('alert.of-group', { name: groupNameOf(labels) }));
      this.#body.append(this.#rows.element);
    }
    this.#rows.update(alerts, { ...labels, ...shared });
  }

  /** A group is silenced by its shared labels; without any, no silence is offered. */
  #drawSilence(common: LabelSet, n: number): void {
    this.#silence.hidden = n < 2 || Object.keys(common).length === 0;
    setAttribute(this.#silence, 'href', newSilenceHash(formatMatchers(matchersOfLabels(common))));
    setText(this.#silence, t('alert.silence.all', { n }));
    setAttribute(this.#silence, 'aria-label', t('alert.silence.group', { n, name: groupNameOf(this.#view.labels) }));
  }

  #drawShared(): void {
    const { shared } = this.#view;
    const signature = JSON.stringify(shared);
    if (this.#shared?.signature === signature) return;
    const list = labelList(shared, {}, t('alert.in-common'), this.#parts.addFilter);
    // The details of every alert have these labels too: here they are no tab stops.
    for (const chip of list?.querySelectorAll('button') ?? []) chip.tabIndex = -1;
    const element = h('div', { class: 'shared', hidden: !list }, list);
    if (this.#shared) this.#shared.element.replaceWith(element);
    else this.#body.prepend(element);
    this.#shared = { signature, element };
  }
}

function groupName(labels: LabelSet): Node[] {
  const { alertname, ...others } = labels;
  const names = Object.keys(others).sort();
  const pairs = names.map((name) => h('span', { class: 'group-pair' }, h('span', {}, `${name}=`), others[name]));
  const title = alertname ?? (names.length === 0 ? t('alert.not-grouped') : undefined);
  const chevron = h('span', { class: 'chevron', 'aria-hidden': 'true' });
  return title === undefined ? [chevron, ...pairs] : [chevron, h('span', { class: 'group-title' }, title), ...pairs];
}
