import type { HubEntry, Summary } from '../../src/hub/contract.ts';
import { h } from '../shared/dom.ts';
import { type IconName, icon } from '../shared/icons.ts';
import type { Language } from '../shared/language.ts';
import { type Figure, figuresOf } from './figures.ts';
import { german, type TextKey, type Translate } from './text.ts';

/** The language of the page. */
export interface Words {
  readonly t: Translate;
  readonly language: Language;
}

const ICONS: Readonly<Record<string, IconName>> = {
  alerts: 'bell',
  relay: 'flag',
  dashboard: 'chart',
  rooms: 'thread',
};

/** The product's name in the language of the page. */
export const titleOf = ({ name, title }: HubEntry, { t }: Words): string =>
  Object.hasOwn(german, name) ? t(name as TextKey) : title;

/** A server with its state and numbers. */
export function serverCard(entry: HubEntry, words: Words): HTMLElement {
  const { name, url, state, summary } = entry;
  const title = titleOf(entry, words);
  return h(
    'section',
    { class: 'card server', 'aria-label': title, 'data-state': state },
    h(
      'div',
      { class: 'server-head' },
      icon(ICONS[name] ?? 'link'),
      h('h2', {}, h('a', { href: url }, title)),
      h('span', { class: 'status', 'data-state': state }, words.t(state)),
    ),
    summary ? body(summary, words) : h('p', { class: 'soft' }, words.t('unknown.text')),
    h('p', { class: 'address' }, h('code', {}, url)),
  );
}

function body(summary: Summary, words: Words): readonly HTMLElement[] {
  const { t } = words;
  const figures = figuresOf(summary).map((one) => figure(one, words));
  return [
    ...(figures.length > 0 ? [h('ul', { class: 'figures' }, figures)] : [h('p', { class: 'soft' }, t('month.none'))]),
    ...notes(summary, words),
  ];
}

function figure({ value, label, unit, tone }: Figure, { t, language }: Words): HTMLElement {
  const text =
    unit === 'usd'
      ? (value / 100).toLocaleString(language, { style: 'currency', currency: 'USD' })
      : value.toLocaleString(language);
  return h(
    'li',
    { 'data-tone': tone },
    h('span', { class: 'value' }, text),
    ' ',
    h('span', { class: 'unit' }, t(label, { n: value })),
  );
}

/** What needs somebody, in words. */
function notes(summary: Summary, { t, language }: Words): readonly HTMLElement[] {
  if (summary.kind === 'alerts')
    return summary.failing.map(({ receiver, groups, since }) => {
      const at = new Date(since).toLocaleTimeString(language, { timeStyle: 'short' });
      return h('p', { class: 'note' }, icon('warning'), t('failing.text', { receiver, n: groups, since: at }));
    });
  if (summary.kind !== 'relay') return [];
  return summary.sources.map(({ environment, state }) =>
    h('p', { class: state === 'VALID' ? 'soft' : 'note' }, `${t('source')} ${environment}: ${t(`source.${state}`)}`),
  );
}
