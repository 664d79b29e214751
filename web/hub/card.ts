import type { HubEntry, Summary } from '../../src/hub/contract.ts';
import { conditionWords } from '../shared/condition-words.ts';
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
  const isLive = summary.kind === 'dashboard' && summary.hasLive;
  const empty = () => h('p', { class: 'soft' }, t(isLive ? 'month.live' : 'month.none'));
  return [figures.length > 0 ? h('ul', { class: 'figures' }, figures) : empty(), ...notes(summary, words)];
}

function figure({ value, label, unit, budget = 0, tone }: Figure, words: Words): HTMLElement {
  return h(
    'li',
    { 'data-tone': tone },
    h('span', { class: 'value' }, unit === 'usd' ? dollars(value, words) : printNumber(value, unit, words)),
    ' ',
    h('span', { class: 'unit' }, words.t(label, { n: value, budget: dollars(budget, words) })),
  );
}

function printNumber(value: number, unit: 'percent' | undefined, { language }: Words): string {
  return value.toLocaleString(language, unit === 'percent' ? { style: 'percent', maximumFractionDigits: 0 } : {});
}

function dollars(cents: number, { language }: Words): string {
  const form = { style: 'currency', currency: 'USD', trailingZeroDisplay: 'stripIfInteger' } as const;
  return (cents / 100).toLocaleString(language, form);
}

const printInstant = (at: number, language: Language): string =>
  new Date(at).toLocaleString(language, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });

/** What needs somebody, in words. */
function notes(summary: Summary, words: Words): readonly HTMLElement[] {
  const { t, language } = words;
  switch (summary.kind) {
    case 'alerts': {
      const failing = summary.failing.map(({ receiver, groups, since }) => {
        return t('failing.text', { receiver, n: groups, since: printInstant(Date.parse(since), language) });
      });
      const print = (at: number) => printInstant(at, language);
      return [...failing, ...summary.faults.map((fault) => conditionWords(fault, language, print))].map(warning);
    }
    case 'relay':
      return summary.sources.map(({ environment, state }) =>
        h(
          'p',
          { class: state === 'VALID' ? 'soft' : 'note' },
          `${t('source')} ${environment}: ${t(`source.${state}`)}`,
        ),
      );
    case 'dashboard': {
      const { month, budgetCents } = summary;
      const excess = (month?.spentCents ?? 0) - budgetCents;
      const isOver = budgetCents > 0 && excess > 0;
      return [
        ...(isOver ? [warning(t('month.over', { excess: dollars(excess, words) }))] : []),
        ...(month ? [h('p', { class: 'soft' }, t('requests', { n: month.requests }))] : []),
      ];
    }
    case 'rooms':
      return [];
  }
}

const warning = (text: string): HTMLElement => h('p', { class: 'note' }, icon('warning'), text);
