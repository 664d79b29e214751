import type { Alert, LabelSet } from '../../../src/alerts/contract/wire.ts';
import type { Child } from '../../shared/dom.ts';
import { h, setAttribute } from '../../shared/dom.ts';
import type { Times } from '../parts/times.ts';
import { t } from '../text.ts';
import { alertDetails, textsOf } from './details/details.ts';
import type { DetailPane } from './details/pane.ts';
import type { AddFilter } from './label-chip.ts';
import type { ListedAlert } from './model.ts';
import { isInhibited, isMuted, isSilenced, mutedReceivers } from './model.ts';
import { toneOf } from './severity.ts';
import { titleOf } from './title.ts';

/** What rows are drawn with, and what they do; without a function they offer no such action. */
export interface AlertRowParts {
  readonly times: Times;
  /** The alerts that show their details, by fingerprint. */
  readonly expanded: Set<string>;
  readonly addFilter?: AddFilter;
  /** The loaded alert with a fingerprint, to name the inhibiting alert. */
  find?(fingerprint: string): Alert | undefined;
  isSelected?(alert: Alert): boolean;
  /** Selects or deselects; with `isRange` all from the last one. */
  select?(alert: Alert, isSelected: boolean, isRange: boolean): void;
  acknowledge?(alert: Alert): void;
  /** Why the alert notifies or not; loads itself. */
  whyPanel?(alert: Alert): HTMLElement;
  /** Takes the details where there is room. */
  readonly pane?: DetailPane;
}

/** Labels beyond these are seen in the details. */
const MAX_LABELS = 8;

/** One alert as one line, which opens to its details. `hidden` are labels that are shown elsewhere. */
export function alertRow(alert: Alert, hidden: LabelSet, parts: AlertRowParts): HTMLLIElement {
  const { labels, status, fingerprint, startsAt } = alert;
  const toggle = h(
    'button',
    { type: 'button', class: 'alert-toggle', 'data-stop': true, tabindex: -1 },
    h('span', { class: 'alert-title' }, titleOf(alert)),
    h('span', { class: 'alert-labels' }, differingLabels(labels, hidden)),
    h('span', { class: 'alert-note', 'aria-hidden': 'true' }, textsOf(alert)[0]),
    h('span', { class: 'marks' }, stateMarks(alert)),
    h('span', { class: 'age' }, parts.times.element(startsAt, 'age')),
  );
  const line = h('div', { class: 'alert-line' }, parts.select && selectBox(alert, parts), h('h3', {}, toggle));
  const attributes = { class: 'alert', 'data-tone': toneOf(labels.severity), 'data-state': status.state };
  const row = h('li', { ...attributes, 'data-fingerprint': fingerprint }, line);
  const draw = () => {
    const isOpen = parts.expanded.has(fingerprint);
    setAttribute(toggle, 'aria-expanded', String(isOpen));
    row.querySelector('.alert-details')?.remove();
    parts.pane?.hide(row);
    if (isOpen) openDetails(alert, row, parts, draw);
  };
  toggle.addEventListener('click', () => {
    if (!parts.expanded.delete(fingerprint)) parts.expanded.add(fingerprint);
    draw();
  });
  draw();
  return row;
}

function openDetails(alert: Alert, row: HTMLElement, parts: AlertRowParts, redraw: () => void): void {
  const details = alertDetails(alert, parts);
  const close = () => {
    parts.expanded.delete(alert.fingerprint);
    redraw();
  };
  if (!parts.pane?.show({ row, title: titleOf(alert), details, close })) row.append(details);
}

/** Not a tab stop, as `x` does the same to the focused line. */
function selectBox(alert: Alert, { isSelected, select }: AlertRowParts): HTMLElement {
  const box = h('input', {
    type: 'checkbox',
    tabindex: -1,
    checked: isSelected?.(alert) === true,
    'aria-label': t('alert.select.one', { title: titleOf(alert) }),
    onclick: (event: MouseEvent) => select?.(alert, box.checked, event.shiftKey),
  });
  return h('label', { class: 'pick' }, box);
}

/** The severity first, as in the label list, then the others by name. */
function differingLabels(labels: LabelSet, hidden: LabelSet): Child[] {
  const names = Object.keys(labels).filter((name) => !Object.hasOwn(hidden, name));
  names.sort((a, b) => Number(b === 'severity') - Number(a === 'severity') || (a < b ? -1 : 1));
  return names.slice(0, MAX_LABELS).flatMap((name) => {
    const value = labels[name] ?? '';
    const label =
      name === 'severity'
        ? h('span', { class: 'label-value', 'data-tone': toneOf(value) }, value)
        : h('span', {}, h('span', { class: 'label-name' }, `${name}=`), value);
    return [label, ' '];
  });
}

function stateMarks(alert: Alert | ListedAlert): readonly Child[] {
  const mark = (text: string) => h('span', { class: 'mark' }, text);
  const partly = 'memberships' in alert ? mutedReceivers(alert) : [];
  return [
    isSilenced(alert) && mark(t('alert.state.silenced')),
    isInhibited(alert) && mark(t('alert.state.inhibited')),
    isMuted(alert) && mark(t('alert.state.muted')),
    partly.length > 0 && mark(t('alert.muted-for', { receivers: partly.join(', ') })),
  ];
}
