import type { FlagDetails } from '../../../src/relay/contract/page.ts';
import type { Clause, FlagRule, Target } from '../../../src/relay/domain/flag.ts';
import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import type { Ui } from '../ui.ts';
import { servedValue, variationValue } from './served.ts';
import { clauseWords } from './words.ts';

/** The rules of a flag in words, in the order of their evaluation. */
export function rulesPanel(ui: Ui, details: FlagDetails, hashOf: (key: string) => string): HTMLElement {
  const { t } = ui;
  const { flag } = details;
  const off = variationValue(ui, flag, flag.offVariation);
  const steps = stepsOf(ui, details, hashOf);
  if (flag.on) return h('div', {}, h('ol', { class: 'steps' }, steps, step([t('rule.on-rest')], off, 'quiet-step')));
  return h(
    'div',
    {},
    h('ol', { class: 'steps' }, step([t('rule.off')], off, 'now')),
    h('h3', { class: 'soft' }, t('rule.dormant')),
    h('ol', { class: 'steps dormant' }, steps),
  );
}

function stepsOf(ui: Ui, { flag, required }: FlagDetails, hashOf: (key: string) => string): readonly HTMLElement[] {
  const { t } = ui;
  const prerequisites = flag.prerequisites.map(({ key, variation }, index) =>
    step(
      prerequisiteWords(ui, key, required[index] ?? ui.t('try.variation', { n: variation }), hashOf),
      variationValue(ui, flag, flag.offVariation),
    ),
  );
  const targets = [...flag.targets, ...flag.contextTargets].filter(({ values }) => values.length > 0);
  const rules = flag.rules.map((rule) => step(ruleWords(ui, rule), servedValue(ui, flag, rule)));
  const isAlone = prerequisites.length + targets.length + rules.length === 0;
  return [
    ...prerequisites,
    ...targets.map((target) => step(targetWords(ui, target), variationValue(ui, flag, target.variation))),
    ...rules,
    step([t(isAlone ? 'rule.default.alone' : 'rule.default')], servedValue(ui, flag, flag.fallthrough)),
  ];
}

function step(words: readonly Child[], served: Child, className = ''): HTMLElement {
  return h(
    'li',
    { class: `step ${className}` },
    h('div', { class: 'step-if' }, words),
    h('div', { class: 'step-then' }, served),
  );
}

/** The words around a link to the other flag and its value. */
function prerequisiteWords({ t }: Ui, key: string, value: string, hashOf: (key: string) => string): Child[] {
  const nodes: Readonly<Record<string, Child>> = {
    '\ue000': h('a', { href: hashOf(key) }, key),
    '\ue001': h('code', {}, value),
  };
  const parts = t('rule.prerequisite', { key: '\ue000', value: '\ue001' }).split(/(\ue000|\ue001)/);
  return parts.map((part) => nodes[part] ?? part);
}

const MAX_TARGETS = 12;

function targetWords({ t }: Ui, { contextKind, values }: Target): Child[] {
  const shown = values.slice(0, MAX_TARGETS).flatMap((value, index) => [index > 0 && ', ', h('code', {}, value)]);
  const more = values.length - MAX_TARGETS;
  const kind = contextKind === '' ? 'user' : contextKind;
  return [h('b', {}, kind), ' ', ...shown, more > 0 && ` ${t('rule.target.more', { n: more })}`];
}

function ruleWords(ui: Ui, { clauses }: FlagRule): Child[] {
  if (clauses.length === 0) return [ui.t('rule.always')];
  return clauses.flatMap((clause, index) => [
    h(
      'span',
      { class: 'clause' },
      h('b', {}, ui.t(index === 0 ? 'rule.if' : 'rule.and')),
      ' ',
      clauseParts(ui, clause),
    ),
  ]);
}

function clauseParts({ t }: Ui, clause: Clause): Child[] {
  const { subject, operator, values, more } = clauseWords(clause, t);
  const shown = values.flatMap((value, index) => [index > 0 && ', ', h('code', {}, value)]);
  return [
    subject !== '' && h('code', { class: 'subject' }, subject),
    ` ${operator} `,
    ...shown,
    more > 0 && ` ${t('value.more', { n: more })}`,
  ];
}
