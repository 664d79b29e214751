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

let lastId = 0;

/** One alert group: a line that opens and closes, then the shared labels and the alerts. */
export class GroupCard {
  readonly element: HTMLElement;
  readonly #parts: AlertRowParts;
  readonly #toggle = h('button', { type: 'button', class: 'group-toggle' });
  readonly #counts = h('span', { class: 'group-counts' });
  readonly #silence = h('a', { class: 'button small' });
  readonly #body: HTMLElement;
  #rows: AlertRows | undefined;
  #shared: { readonly signature: string; readonly element: HTMLElement } | undefined;
  #view: GroupView;
  #open: boolean;

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
    const receiver = h('span', { class: 'receiver', title: t('alert.receivers') }, view.receivers.join(', '));
    const head = h('div', { class: 'group-head' }, h('h2', {}, this.#toggle), this.#counts, receiver, this.#silence);
    this.element = h('section', { class: 'group', 'aria-label': nameOf(view.labels) }, head, this.#body);
    this.#draw();
  }

  update(view: GroupView, open: boolean): void {
    this.#view = view;
    this.#open = open;
    this.#draw();
  }

  #draw(): void {
    const { alerts, severities, labels, shared } = this.#view;
    setAttribute(this.element, 'data-tone', toneOf(severities[0]?.severity));
    setAttribute(this.#toggle, 'aria-expanded', String(this.#open));
    this.#counts.replaceChildren(...severityCounts(severities));
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
      this.#rows = new AlertRows(this.#parts, `Alerts of ${nameOf(labels)}`);
      this.#body.append(this.#rows.element);
    }
    this.#rows.update(alerts, alerts.length > 1 ? { ...labels, ...shared } : {});
  }

  /** A group is silenced by its shared labels; without any, no silence is offered. */
  #drawSilence(common: LabelSet, count: number): void {
    this.#silence.hidden = count < 2 || Object.keys(common).length === 0;
    this.#silence.href = newSilenceHash(formatMatchers(matchersOfLabels(common)));
    setText(this.#silence, `Silence all ${count}`);
    setAttribute(this.#silence, 'aria-label', `Silence all ${count} alerts of ${nameOf(this.#view.labels)}`);
  }

  #drawShared(): void {
    const { alerts, labels, shared } = this.#view;
    const common = alerts.length > 1 ? { ...labels, ...shared } : {};
    const signature = JSON.stringify(common);
    if (this.#shared?.signature === signature) return;
    const list = labelList(common, {}, 'Labels that all have', this.#parts.addFilter);
    const element = h('div', { class: 'shared' }, list && h('span', { class: 'shared-title' }, 'In common'), list);
    element.hidden = !list;
    if (this.#shared) this.#shared.element.replaceWith(element);
    else this.#body.prepend(element);
    this.#shared = { signature, element };
  }
}

function nameOf(labels: LabelSet): string {
  return (
    matchersOfLabels(labels)
      .map(({ name, value }) => (name === 'alertname' ? value : `${name}=${value}`))
      .join(', ') || 'not grouped'
  );
}

function groupName(labels: LabelSet): Node[] {
  const { alertname, ...others } = labels;
  const names = Object.keys(others).sort();
  const pairs = names.map((name) => h('span', { class: 'group-pair' }, h('span', {}, `${name}=`), others[name]));
  const title = alertname ?? (names.length === 0 ? 'Not grouped' : undefined);
  const chevron = h('span', { class: 'chevron', 'aria-hidden': 'true' });
  return title === undefined ? [chevron, ...pairs] : [chevron, h('span', { class: 'group-title' }, title), ...pairs];
}
