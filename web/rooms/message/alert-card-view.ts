import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { AlertCard, CardLink } from '../../../src/rooms/domain/card/alert-card.ts';
import { h } from '../../shared/dom.ts';
import { icon, svgElement } from '../../shared/icons.ts';
import { printFull, printLength, printTime } from '../shell/time-text.ts';
import type { Ui } from '../shell/ui.ts';
import { cardWords } from '../text/server-words.ts';
import { t, withElement } from '../text/text.ts';
import { isSafeLink } from './markdown.ts';

const SHOWN_ALERTS = 5;
const SPARK_WIDTH = 96;
const SPARK_HEIGHT = 20;

const SILENCES = [
  ['silence-1h', '1 h'],
  ['silence-4h', '4 h'],
  ['silence-1d', undefined],
] as const;

const EXTENSIONS = [
  ['extend-1h', '+1 h', '1 h'],
  ['extend-4h', '+4 h', '4 h'],
] as const;

/** The severities with a colour, the worst first. */
const SEVERITIES = ['critical', 'warning', 'info'];

/** The card of an alert group: what fires, since when, who has taken it, and its actions. */
export function renderAlertCard(message: WireMessage, card: AlertCard, ui: Ui): HTMLElement {
  const { counts, title, summary, description, labels, more } = card;
  const severity = severityOf(card);
  const tone = card.state === 'resolved' ? 'resolved' : SEVERITIES.includes(severity) ? severity : 'other';
  const entries = Object.entries(labels).filter(([name]) => name !== 'alertname' && name !== 'severity');
  return h(
    'div',
    { class: 'alert-card', role: 'group', 'data-tone': tone, 'aria-label': t('alert', { title }) },
    h(
      'div',
      { class: 'alert-head' },
      severity !== '' && h('span', { class: 'alert-severity' }, severity),
      h('span', { class: 'alert-state' }, t(card.state === 'firing' ? 'alert.firing' : 'alert.resolved')),
      h('strong', { class: 'alert-title' }, title),
    ),
    summary !== '' && h('p', { class: 'alert-summary' }, summary),
    description !== '' && description !== summary && h('p', { class: 'alert-description' }, description),
    h(
      'p',
      { class: 'alert-facts' },
      h('span', {}, t('alert.counts', counts)),
      lastingText(card, ui.clock.now()),
      sparkline(card),
    ),
    entries.length > 0 &&
      h(
        'ul',
        { class: 'alert-labels', 'aria-label': t('alert.labels') },
        entries.map(([name, value]) => h('li', {}, h('span', {}, `${name}=`), value)),
      ),
    alertList(card, more),
    notes(card, ui.clock.now()),
    buttons(message, card, ui),
  );
}

/** That of all alerts, or the worst of those that fire. */
function severityOf({ severity, alerts }: AlertCard): string {
  const firing = alerts.filter(({ state }) => state === 'firing');
  return severity || (SEVERITIES.find((name) => firing.some(({ labels }) => labels.severity === name)) ?? '');
}

function lastingText(card: AlertCard, now: number): HTMLElement {
  const started = Date.parse(card.startedAt);
  const ended = card.resolvedAt === null ? undefined : Date.parse(card.resolvedAt);
  const length = h(
    'span',
    ended === undefined ? { 'data-since': card.startedAt } : {},
    printLength((ended ?? now) - started),
  );
  return h(
    'span',
    { title: t('alert.since', { time: printFull(started) }) },
    withElement(ended === undefined ? 'alert.for' : 'alert.lasted', 'length', length),
  );
}

/** The number of firing alerts over time. */
function sparkline({ changes, counts }: AlertCard): SVGElement | false {
  if (changes.length < 3) return false;
  const most = Math.max(1, ...changes.map(({ firing }) => firing));
  const step = SPARK_WIDTH / changes.length;
  const y = (firing: number) => (SPARK_HEIGHT - 2 - (firing / most) * (SPARK_HEIGHT - 4)).toFixed(1);
  const line = changes.map(
    ({ firing }, index) =>
      `${index === 0 ? 'M' : 'V'}${index === 0 ? `0 ${y(firing)}` : y(firing)}H${((index + 1) * step).toFixed(1)}`,
  );
  const svg = svgElement('svg', {
    class: 'spark',
    viewBox: `0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`,
    width: String(SPARK_WIDTH),
    height: String(SPARK_HEIGHT),
    role: 'img',
    'aria-label': t('alert.changes', { n: changes.length, most, now: counts.firing }),
  });
  svg.append(svgElement('path', { d: line.join('') }));
  return svg;
}

function alertList({ alerts }: AlertCard, more: number): HTMLElement | false {
  const shown = alerts.filter(
    ({ summary, labels, links = [] }) => summary !== '' || Object.keys(labels).length > 0 || links.length > 0,
  );
  if (shown.length === 0) return false;
  const rows = shown.map(({ state, labels, summary, links = [] }) => {
    const { severity, ...others } = labels;
    const ordered = Object.entries(severity === undefined ? others : { severity, ...others });
    const words = ordered.map(([name, value]) => `${name}=${value}`);
    const dot = h('span', { class: 'dot', 'data-state': state, role: 'img', 'aria-label': t(`alert.state.${state}`) });
    const code = h('span', { class: 'code' }, words.join(' '));
    return h('li', {}, dot, code, summary !== '' && h('span', {}, summary), linksTo(links));
  });
  const rest = rows.slice(SHOWN_ALERTS);
  const left = more > 0 && h('li', { class: 'soft' }, t('alert.and-more', { n: more }));
  return h(
    'div',
    { class: 'alert-list' },
    h('ul', {}, rows.slice(0, SHOWN_ALERTS), rest.length === 0 && left),
    rest.length > 0 &&
      h('details', {}, h('summary', {}, t('alert.more', { n: rest.length + more })), h('ul', {}, rest, left)),
  );
}

const isLasting = ({ endsAt }: { readonly endsAt: string }, now: number): boolean => Date.parse(endsAt) > now;

function notes({ acked, silence, counts }: AlertCard, now: number): HTMLElement | false {
  const isSilenced = silence !== null && isLasting(silence, now);
  if (!acked && !isSilenced) return false;
  return h(
    'p',
    { class: 'alert-notes' },
    acked &&
      h(
        'span',
        { class: 'alert-note' },
        icon('check'),
        t('alert.acked', { name: acked.by, time: printTime(Date.parse(acked.at)) }),
        acked.note !== '' && `: ${acked.note}`,
      ),
    isSilenced &&
      h(
        'span',
        { class: 'alert-note', title: t('alert.until', { time: printFull(Date.parse(silence.endsAt)) }) },
        icon('bell'),
        h(
          'span',
          {},
          withElement(
            silence.alerts === undefined ? 'alert.silenced' : 'alert.some-silenced',
            'left',
            h('span', { 'data-until': silence.endsAt }, printLength(Date.parse(silence.endsAt) - now)),
            { name: silence.by, n: counts.firing + counts.resolved, some: silence.alerts ?? 0 },
          ),
        ),
      ),
  );
}

function buttons(message: WireMessage, card: AlertCard, { actions, clock, model }: Ui): HTMLElement {
  const press = (name: string, label: string, accessible = label) =>
    h(
      'button',
      { type: 'button', class: 'small', 'aria-label': accessible, onclick: () => actions.press(message, name) },
      label,
    );
  const isSilenced = card.silence !== null && isLasting(card.silence, clock.now());
  const hasCopilot = model.entry(message.roomId)?.room.copilot?.enabled === true;
  return h(
    'div',
    { class: 'alert-actions' },
    card.acked ? press('unack', t('alert.unack')) : press('ack', t('alert.ack')),
    isSilenced &&
      h(
        'span',
        { class: 'button-group', role: 'group', 'aria-label': t('alert.the-silence') },
        h('span', { class: 'soft', 'aria-hidden': 'true' }, t('alert.is-silenced')),
        press('unsilence', t('alert.end'), t('alert.end-silence')),
        EXTENSIONS.map(([name, label, length]) => press(name, label, t('alert.extend', { length }))),
      ),
    card.state === 'firing' &&
      (!isSilenced || card.silence?.alerts !== undefined) &&
      h(
        'span',
        { class: 'button-group', role: 'group', 'aria-label': t('alert.silence-for') },
        h('span', { class: 'soft', 'aria-hidden': 'true' }, t('alert.silence')),
        SILENCES.map(([name, length = t('alert.day')]) =>
          press(name, length, t('alert.silence-for-length', { length })),
        ),
      ),
    hasCopilot &&
      h('button', { type: 'button', class: 'small', onclick: () => actions.askCopilot(message) }, t('alert.ask')),
    linksTo(card.links),
  );
}

const linksTo = (links: readonly CardLink[]): readonly HTMLElement[] =>
  links
    .filter(({ url }) => isSafeLink(url))
    .map(({ label, url }) =>
      h('a', { class: 'external', href: url, target: '_blank', rel: 'noopener noreferrer' }, cardWords(label)),
    );

/** Updates the ages of firing alerts and the remaining times of silences. */
export function tickCards(root: ParentNode, now: number): void {
  for (const node of root.querySelectorAll<HTMLElement>('[data-since]'))
    node.textContent = printLength(now - Date.parse(node.dataset.since ?? ''));
  for (const node of root.querySelectorAll<HTMLElement>('[data-until]')) {
    const leftMs = Date.parse(node.dataset.until ?? '') - now;
    node.textContent = printLength(leftMs);
    // The server changes the card soon.
    if (leftMs <= 0) node.closest('.alert-note')?.remove();
  }
}
