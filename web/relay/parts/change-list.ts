import type { ChangeRow, DifferenceRow } from '../../../src/relay/contract/page.ts';
import { h } from '../../shared/dom.ts';
import type { Ui } from '../ui.ts';

const MAX_SHOWN = 8;

/** Changes with their differences. `hashOf` links a flag; without it the keys are left out. */
export function changeList(ui: Ui, changes: readonly ChangeRow[], hashOf?: (key: string) => string): HTMLElement {
  return h(
    'ul',
    { class: 'changes' },
    changes.map((change) => changeRow(ui, change, hashOf)),
  );
}

function changeRow(ui: Ui, { at, kind, key, what, comment, differences }: ChangeRow, hashOf?: (key: string) => string) {
  const { t } = ui;
  const isLinked = kind === 'flags' && what !== 'removed';
  const name = isLinked && hashOf ? h('a', { href: hashOf(key) }, key) : h('b', {}, key);
  return h(
    'li',
    { class: 'change' },
    h(
      'p',
      { class: 'change-head' },
      h('span', { class: 'cell' }, ui.time(at)),
      hashOf && name,
      kind === 'segments' && h('span', { class: 'badge' }, t('changes.segment')),
      h('span', { class: 'soft' }, t(`changes.${what}`)),
      comment !== null && h('q', {}, comment),
    ),
    what === 'changed' && differenceList(ui, differences),
  );
}

function differenceList({ t }: Ui, differences: readonly DifferenceRow[]): HTMLElement {
  if (differences.length === 0) return h('p', { class: 'soft' }, t('changes.same'));
  const rest = differences.length - MAX_SHOWN;
  return h(
    'dl',
    { class: 'differences' },
    differences
      .slice(0, MAX_SHOWN)
      .flatMap(({ path, before, after }) => [
        h('dt', {}, h('code', {}, path || t('changes.whole'))),
        h(
          'dd',
          {},
          before !== null && h('del', {}, h('code', {}, before)),
          before !== null && after !== null && ' → ',
          after !== null && h('ins', {}, h('code', {}, after)),
        ),
      ]),
    rest > 0 && h('dd', { class: 'soft' }, t('changes.more', { n: rest })),
  );
}
