import { h } from '../../shared/dom.ts';
import { t } from '../text.ts';

/** Asks who acknowledges; undefined when the user cancels. */
export function askForName(): Promise<string | undefined> {
  return new Promise((resolve) => {
    let name: string | undefined;
    const field = h('input', { id: 'name', type: 'text', autocomplete: 'name', required: true });
    const onsubmit = (event: Event) => {
      event.preventDefault();
      name = field.value.trim() || undefined;
      if (name) dialog.close();
    };
    const cancel = h('button', { type: 'button', onclick: () => dialog.close() }, t('silence.cancel'));
    const form = h(
      'form',
      { onsubmit },
      h('h2', { id: 'name-title' }, t('silence.name.title')),
      h('p', {}, t('silence.name.why')),
      h('div', { class: 'field' }, h('label', { for: 'name' }, t('silence.name.label')), field),
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'submit', class: 'primary' }, t('silence.acknowledge')),
        cancel,
      ),
    );
    const dialog = h('dialog', { class: 'name-dialog', 'aria-labelledby': 'name-title' }, form);
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(name);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
