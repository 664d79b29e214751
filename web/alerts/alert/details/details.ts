import type { Alert } from '../../../../src/alerts/contract/wire.ts';
import type { Child } from '../../../shared/dom.ts';
import { h, setAttribute } from '../../../shared/dom.ts';
import { externalLink, linkedText } from '../../parts/linked-text.ts';
import { formatMatchers, matchersOfLabels } from '../../parts/matcher-text.ts';
import { isWebAddress } from '../../parts/text-links.ts';
import { everyAlertHash, formatHash, newSilenceHash } from '../../route.ts';
import { t } from '../../text.ts';
import { labelList } from '../label-chip.ts';
import type { AlertRowParts } from '../row.ts';
import { titleKeyOf, titleOf } from '../title.ts';

const TEXTS = ['description', 'message', 'details'];

/** The texts that describe the alert beyond its title. */
export function textsOf(alert: Alert): readonly string[] {
  const titleKey = titleKeyOf(alert);
  return TEXTS.filter((name) => name !== titleKey).flatMap((name) => alert.annotations[name] || []);
}

/** What the line of an alert leaves out: its texts, links and all labels, and the actions. */
export function alertDetails(alert: Alert, parts: AlertRowParts): HTMLElement {
  const actions = h('p', { class: 'actions' }, actionButtons(alert, parts));
  const details = h(
    'div',
    { class: 'alert-details' },
    h('div', { class: 'alert-texts' }, annotationParts(alert), actions),
    h('div', { class: 'alert-facts' }, factParts(alert, parts)),
  );
  const { whyPanel } = parts;
  if (whyPanel) actions.append(whyButton(alert, details, () => whyPanel(alert)));
  return details;
}

function whyButton(alert: Alert, details: HTMLElement, panel: () => HTMLElement): HTMLElement {
  const button = h(
    'button',
    { type: 'button', class: 'small why-button', 'aria-label': t('alert.why.one', { title: titleOf(alert) }) },
    t('alert.why'),
  );
  setAttribute(button, 'aria-expanded', 'false');
  button.addEventListener('click', () => {
    const shown = details.querySelector('.why');
    if (shown) shown.remove();
    else details.append(panel());
    setAttribute(button, 'aria-expanded', String(!shown));
  });
  return button;
}

function annotationParts(alert: Alert): Child[] {
  const titleKey = titleKeyOf(alert);
  const entries = Object.entries(alert.annotations).filter(([name, value]) => name !== titleKey && value !== '');
  const links = entries.filter(([, value]) => isWebAddress(value));
  const others = entries.filter(([, value]) => !isWebAddress(value));
  const texts = textsOf(alert).filter((text) => !isWebAddress(text));
  const pairs = others.filter(([name]) => !TEXTS.includes(name));
  const source = alert.generatorURL && isWebAddress(alert.generatorURL) ? alert.generatorURL : undefined;
  return [
    ...texts.map((text) => h('p', { class: 'description' }, linkedText(text))),
    pairs.length > 0 &&
      h(
        'dl',
        { class: 'annotations' },
        pairs.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, linkedText(value))]),
      ),
    (source || links.length > 0) &&
      h(
        'p',
        { class: 'links' },
        source && externalLink(source, t('alert.source')),
        links.map(([name, value]) => externalLink(value, linkTitle(name))),
      ),
  ];
}

function factParts(alert: Alert, { times, addFilter, ...parts }: AlertRowParts): Child[] {
  const receivers = alert.receivers.map(({ name }) => name).join(', ');
  return [
    labelList(alert.labels, {}, t('alert.labels'), addFilter),
    h(
      'p',
      { class: 'alert-meta' },
      h('span', {}, `${t('alert.since')} `, times.element(alert.startsAt, 'instant')),
      receivers !== '' && h('span', { class: 'receiver' }, receivers),
      stateBadges(alert, parts),
    ),
  ];
}

function actionButtons(alert: Alert, { acknowledge }: AlertRowParts): Child[] {
  const title = titleOf(alert);
  const silence = newSilenceHash(formatMatchers(matchersOfLabels(alert.labels)));
  const button = (text: string, label: string, onclick: () => void) =>
    h('button', { type: 'button', class: 'small', 'aria-label': label, onclick }, text);
  return [
    acknowledge && button(t('alert.acknowledge'), t('alert.acknowledge.one', { title }), () => acknowledge(alert)),
    h(
      'a',
      { class: 'button small', href: silence, 'aria-label': t('alert.silence.one', { title }) },
      t('alert.silence'),
    ),
  ];
}

function stateBadges({ status }: Alert, parts: Pick<AlertRowParts, 'find'>): readonly Child[] {
  const silenced = status.silencedBy.map((id) =>
    h('a', { class: 'badge', href: formatHash({ page: 'silence', id }) }, t('alert.state.silenced')),
  );
  const inhibited = status.inhibitedBy.map((fingerprint) => inhibitedBadge(fingerprint, parts));
  const muted = status.mutedBy.length > 0 && t('alert.muted-by', { names: status.mutedBy.join(', ') });
  return [...silenced, ...inhibited, muted && h('span', { class: 'badge' }, muted)];
}

function inhibitedBadge(fingerprint: string, { find }: Pick<AlertRowParts, 'find'>): HTMLElement {
  const source = find?.(fingerprint);
  if (!source) return h('span', { class: 'badge', title: fingerprint }, t('alert.state.inhibited'));
  const href = everyAlertHash(formatMatchers(matchersOfLabels(source.labels)));
  return h('a', { class: 'badge', href }, t('alert.inhibited-by', { name: source.labels.alertname ?? fingerprint }));
}

/** `runbook_url` reads `Runbook`. */
function linkTitle(name: string): string {
  const words = name.replace(/_?url$/i, '').replaceAll('_', ' ') || name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
