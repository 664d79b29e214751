import { h } from '../../shared/dom.ts';
import type { Theme } from '../../shared/theme.ts';
import { chooseTheme, readTheme, THEMES } from '../../shared/theme.ts';
import type { Page, PageContext } from '../page.ts';
import type { Route } from '../route.ts';
import type { TimeStyle } from './settings.ts';
import { REFRESH_SECONDS, TIME_STYLES } from './settings.ts';

const THEME_TITLES: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' };
const TIME_TITLES: Readonly<Record<TimeStyle, string>> = {
  relative: 'Relative, such as 2h 14m',
  absolute: 'Absolute, in local time',
};
const KEYS = [
  ['/', 'go to the filter'],
  ['n', 'new silence, for the filter that is shown'],
  ['Enter', 'in the filter: add the matcher'],
  ['Backspace', 'in the empty filter: edit the last matcher'],
  ['Shift + click', 'on a label: leave such alerts out'],
] as const;

/** The user's settings, kept in this browser only. */
export class SettingsPage implements Page {
  readonly element: HTMLElement;

  constructor({ settings }: PageContext) {
    document.title = 'Settings · opsdeck';
    const { refreshSeconds, creator, times } = settings.values;
    const refresh = h(
      'select',
      { id: 'refresh', onchange: () => settings.change({ refreshSeconds: Number(refresh.value) }) },
      REFRESH_SECONDS.map((seconds) =>
        h('option', { value: seconds, selected: seconds === refreshSeconds }, titleOf(seconds)),
      ),
    );
    const name = h('input', { id: 'creator', type: 'text', autocomplete: 'name', value: creator });
    name.addEventListener('input', () => settings.change({ creator: name.value.trim() }));
    this.element = h(
      'div',
      { class: 'page narrow' },
      h('h1', { tabindex: -1 }, 'Settings'),
      h('p', { class: 'soft' }, 'Kept in this browser.'),
      h('div', { class: 'field' }, h('label', { for: 'refresh' }, 'Refresh'), refresh),
      h('div', { class: 'field' }, h('label', { for: 'creator' }, 'Your name in new silences'), name),
      choice('Theme', 'theme', THEMES, THEME_TITLES, readTheme(), chooseTheme),
      choice('Times', 'times', TIME_STYLES, TIME_TITLES, times, (style) => settings.change({ times: style })),
      h('h2', {}, 'Keys'),
      h(
        'dl',
        { class: 'keys' },
        KEYS.flatMap(([key, what]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)]),
      ),
    );
  }

  follow(route: Route): boolean {
    return route.page === 'settings';
  }

  close(): void {}
}

function titleOf(seconds: number): string {
  if (seconds === 0) return 'Never';
  return seconds < 60 ? `Every ${seconds} seconds` : seconds === 60 ? 'Every minute' : `Every ${seconds / 60} minutes`;
}

function choice<Value extends string>(
  title: string,
  name: string,
  values: readonly Value[],
  titles: Readonly<Record<Value, string>>,
  chosen: Value,
  onChoose: (value: Value) => void,
): HTMLElement {
  const options = values.map((value) =>
    h(
      'label',
      { class: 'radio' },
      h('input', { type: 'radio', name, value, checked: value === chosen, onchange: () => onChoose(value) }),
      titles[value],
    ),
  );
  return h('fieldset', { class: 'field' }, h('legend', {}, title), options);
}
