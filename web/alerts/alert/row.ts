import type { Alert, LabelSet } from '../../../src/alerts/contract/wire.ts';
import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import { formatMatchers, matchersOfLabels } from '../parts/matcher-text.ts';
import { isWebAddress, splitLinks } from '../parts/text-links.ts';
import type { Times } from '../parts/times.ts';
import { everyAlertHash, formatHash, newSilenceHash } from '../route.ts';
import type { AddFilter } from './label-chip.ts';
import { labelList } from './label-chip.ts';
import { isInhibited, isMuted, isSilenced } from './model.ts';
import { toneOf } from './severity.ts';

export interface AlertRowParts {
  readonly times: Times;
  readonly addFilter?: AddFilter;
  /** The loaded alert with a fingerprint, to name the inhibiting alert. */
  find?(fingerprint: string): Alert | undefined;
}

/** The usual annotations with a description; the first becomes the title. */
const TITLES = ['summary', 'title', 'message', 'description'];
const TEXTS = ['description', 'message', 'details'];
/** Longer texts are folded. */
const FOLD_LENGTH = 240;

/** One alert: texts, labels, age and actions. `hidden` are labels that are shown elsewhere. */
export function alertRow(alert: Alert, hidden: LabelSet, parts: AlertRowParts): HTMLLIElement {
  const { labels, annotations } = alert;
  const titleKey = TITLES.find((name) => annotations[name] && !isWebAddress(annotations[name]));
  const title = (titleKey && annotations[titleKey]) ?? labels.alertname ?? 'Unnamed alert';
  return h(
    'li',
    { class: 'alert', 'data-tone': toneOf(labels.severity), 'data-state': alert.status.state },
    h('div', { class: 'alert-text' }, h('h3', {}, title), annotationParts(alert, titleKey)),
    h('div', { class: 'alert-labels' }, labelList(labels, hidden, 'Labels', parts.addFilter)),
    h('div', { class: 'alert-side' }, sideParts(alert, title, parts)),
  );
}

function annotationParts({ annotations, generatorURL }: Alert, titleKey: string | undefined): Child[] {
  const entries = Object.entries(annotations).filter(([name, value]) => name !== titleKey && value !== '');
  const isText = (name: string) => TEXTS.includes(name);
  const texts = entries.filter(([name, value]) => isText(name) && !isWebAddress(value));
  const others = entries.filter(([name, value]) => !isText(name) && !isWebAddress(value));
  const links = entries
    .filter(([, value]) => isWebAddress(value))
    .map(([name, value]) => externalLink(value, linkTitle(name)));
  if (generatorURL && isWebAddress(generatorURL)) links.unshift(externalLink(generatorURL, 'Source'));
  const pairs = others.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, linkedText(value))]);
  return [
    ...texts.map(([, text]) => foldedText(text)),
    pairs.length > 0 && h('dl', { class: 'annotations' }, pairs),
    links.length > 0 && h('p', { class: 'links' }, links),
  ];
}

function sideParts(alert: Alert, title: string, parts: AlertRowParts): Child[] {
  const silence = newSilenceHash(formatMatchers(matchersOfLabels(alert.labels)));
  return [
    stateBadges(alert, parts),
    h('span', { class: 'age' }, parts.times.element(alert.startsAt, 'age')),
    h('a', { class: 'button small', href: silence, 'aria-label': `Silence: ${title}` }, 'Silence'),
  ];
}

function stateBadges(alert: Alert, parts: AlertRowParts): Child {
  const { silencedBy, inhibitedBy, mutedBy } = alert.status;
  const badges: Child[] = [
    ...(isSilenced(alert)
      ? silencedBy.map((id) => h('a', { class: 'badge', href: formatHash({ page: 'silence', id }) }, 'silenced'))
      : []),
    ...(isInhibited(alert) ? inhibitedBy.map((fingerprint) => inhibitedBadge(fingerprint, parts)) : []),
    isMuted(alert) && h('span', { class: 'badge' }, `muted: ${mutedBy.join(', ')}`),
  ];
  return badges.some(Boolean) && h('span', { class: 'badges' }, badges);
}

function inhibitedBadge(fingerprint: string, parts: AlertRowParts): HTMLElement {
  const source = parts.find?.(fingerprint);
  if (!source) return h('span', { class: 'badge', title: `by the alert ${fingerprint}` }, 'inhibited');
  const href = everyAlertHash(formatMatchers(matchersOfLabels(source.labels)));
  return h('a', { class: 'badge', href }, `inhibited by ${source.labels.alertname ?? fingerprint}`);
}

/** `runbook_url` reads `Runbook`. */
function linkTitle(name: string): string {
  const words = name.replace(/_?url$/i, '').replaceAll('_', ' ') || name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function externalLink(href: string, text: string): HTMLElement {
  return h('a', { class: 'external', href, rel: 'noopener noreferrer', target: '_blank' }, text);
}

/** Text with its web addresses as links. */
export function linkedText(text: string): Child[] {
  return splitLinks(text).map((part) =>
    part.href ? h('a', { href: part.href, rel: 'noopener noreferrer', target: '_blank' }, part.text) : part.text,
  );
}

function foldedText(text: string): HTMLElement {
  const paragraph = h('p', { class: 'description' }, linkedText(text));
  if (text.length <= FOLD_LENGTH && text.split('\n').length <= 2) return paragraph;
  paragraph.classList.add('folded');
  const unfold = h('button', { type: 'button', class: 'quiet unfold', 'aria-expanded': 'false' }, 'Show all');
  unfold.addEventListener('click', () => {
    const folded = paragraph.classList.toggle('folded');
    unfold.textContent = folded ? 'Show all' : 'Show less';
    unfold.setAttribute('aria-expanded', String(!folded));
  });
  return h('div', {}, paragraph, unfold);
}
