import { h, setText } from '../../shared/dom.ts';
import { formError } from '../../shared/shell/states.ts';
import { expectApiError } from '../states.ts';
import { t } from '../text.ts';

export interface Question {
  readonly title: string;
  readonly text: string;
  /** The text of the confirming button. */
  readonly action: string;
  perform(): Promise<void>;
}

/**
 * Asks before an action that cannot be undone; true when it was done. When it fails, the dialog stays and shows the error.
 */
export function confirmAction(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const error = formError();
    const cancel = h('button', { type: 'button', onclick: () => dialog.close() }, t('dialog.cancel'));
    const perform = h('button', { type: 'button', class: 'danger' }, question.action);
    let done = false;
    const dialog = h(
      'dialog',
      { 'aria-labelledby': 'dialog-title', 'aria-describedby': 'dialog-text' },
      h('h2', { id: 'dialog-title' }, question.title),
      h('p', { id: 'dialog-text' }, question.text),
      error,
      h('div', { class: 'actions' }, perform, cancel),
    );
    perform.addEventListener('click', async () => {
      perform.disabled = true;
      try {
        await question.perform();
        done = true;
        dialog.close();
      } catch (failure) {
        setText(error, expectApiError(failure).message);
        perform.disabled = false;
      }
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(done);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
