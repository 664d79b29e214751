import { h } from '../../shared/dom.ts';
import type { Theme } from '../../shared/theme.ts';
import { chooseTheme, readTheme, THEMES } from '../../shared/theme.ts';
import { keyTable } from '../key-dialog.ts';
import type { Page, PageContext } from '../page.ts';
import type { Route } from '../route.ts';
import { ALL_ALERTS, formatHash } from '../route.ts';
import { t } from '../text.ts';
import { newsFields } from './news-fields.ts';
import { REFRESH_SECONDS, TIME_STYLES } from './settings.ts';

/** The user's settings, kept in this browser only. */
export class SettingsPage implements Page {
  readonly element: HTMLElement;

  constructor({ settings }: PageContext) {
    document.title = `${t('settings.title')} · opsdeck`;
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
      { class: 'page settings-page' },
      h(
        'div',
        {},
        h('h1', { tabindex: -1 }, t('settings.title')),
        h('p', { class: 'soft' }, t('settings.kept')),
        h('div', { class: 'field' }, h('label', { for: 'refresh' }, t('settings.refresh')), refresh),
        h('div', { class: 'field' }, h('label', { for: 'creator' }, t('settings.creator')), name),
        choice<Theme>('theme', THEMES, (theme) => t(`settings.theme.${theme}`), readTheme(), chooseTheme),
        choice(
          'times',
          TIME_STYLES,
          (style) => t(`settings.times.${style}`),
          times,
          (style) => settings.change({ times: style }),
        ),
        newsFields(settings),
        h('p', { class: 'field' }, h('a', { href: formatHash({ ...ALL_ALERTS, wall: true }) }, t('settings.wall'))),
      ),
      h('section', { 'aria-label': t('key.title') }, h('h2', {}, t('key.title')), keyTable()),
    );
  }

  follow(route: Route): boolean {
    return route.page === 'settings';
  }

  close(): void {}
}

function titleOf(seconds: number): string {
  if (seconds === 0) return t('settings.never');
  return seconds < 60 ? t('settings.seconds', { n: seconds }) : t('settings.minutes', { n: seconds / 60 });
}

function choice<Value extends string>(
  name: 'theme' | 'times',
  values: readonly Value[],
  titleOfValue: (value: Value) => string,
  chosen: Value,
  onChoose: (value: Value) => void,
): HTMLElement {
  const options = values.map((value) =>
    h(
      'label',
      { class: 'radio' },
      h('input', { type: 'radio', name, value, checked: value === chosen, onchange: () => onChoose(value) }),
      titleOfValue(value),
    ),
  );
  return h('fieldset', { class: 'field' }, h('legend', {}, t(`settings.${name}`)), options);
}
