import { h } from '../../shared/dom.ts';
import { zoneOr } from '../data/hash.ts';
import type { Ui } from '../shell/ui.ts';
import { Field } from './controls.ts';

/** The field to search a time zone by name; empty: the browser's. */
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
  // The four hundred names are added on first focus.
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
