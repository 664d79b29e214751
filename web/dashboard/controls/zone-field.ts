import { h } from '../../shared/dom.ts';
import { zoneOr } from '../data/hash.ts';
import type { Ui } from '../shell/ui.ts';
import { Field } from './controls.ts';

/** The field in which a time zone is searched by name; empty is the browser's own. */
export function zoneField({ t }: Ui, onChange: (zone: string) => void): Field<HTMLInputElement> {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = h('datalist', { id: 'zones' });
  const input = h('input', {
    type: 'text',
    id: 'zone',
    list: 'zones',
    placeholder: own,
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const field = new Field(t('zone'), input, { class: 'zone' });
  // Some four hundred names: they join the document when somebody comes to look.
  input.addEventListener('focus', () => {
    if (zones.childElementCount > 0) return;
    const names = new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')]);
    zones.append(...[...names].map((value) => h('option', { value })));
  });
  input.addEventListener('change', () => {
    const wanted = input.value.trim();
    const known = wanted === '' || zoneOr(wanted, '') !== '';
    field.showError(known ? undefined : t('error.zone'));
    if (known) onChange(wanted);
  });
  field.element.append(zones);
  return field;
}
