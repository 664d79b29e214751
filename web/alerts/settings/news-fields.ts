import { h, setText } from '../../shared/dom.ts';
import { fieldError } from '../../shared/shell/states.ts';
import { askPermission, playSound } from '../news/signals.ts';
import { t } from '../text.ts';
import type { Settings } from './settings.ts';

/** Sound and notification of new critical alerts. Permission is asked for when the notification is turned on. */
export function newsFields(settings: Settings): HTMLElement {
  const { sound, desktop } = settings.values;
  const problem = fieldError();
  const box = (checked: boolean, title: string, onChange: (box: HTMLInputElement) => void) => {
    const input = h('input', { type: 'checkbox', checked, onchange: () => onChange(input) });
    return h('label', { class: 'radio' }, input, title);
  };
  const chooseDesktop = async (input: HTMLInputElement) => {
    const answer = input.checked ? await askPermission() : 'granted';
    input.checked &&= answer === 'granted';
    settings.change({ desktop: input.checked });
    const refused = t(answer === 'unsupported' ? 'settings.desktop.unsupported' : 'settings.desktop.denied');
    setText(problem, answer === 'granted' ? '' : refused);
  };
  return h(
    'fieldset',
    { class: 'field' },
    h('legend', {}, t('settings.news')),
    h(
      'div',
      { class: 'sound-field' },
      box(sound, t('settings.sound'), (input) => settings.change({ sound: input.checked })),
      h('button', { type: 'button', class: 'quiet', onclick: () => playSound() }, t('settings.sound.try')),
    ),
    box(desktop, t('settings.desktop'), (input) => void chooseDesktop(input)),
    problem,
  );
}
