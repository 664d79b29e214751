import type { CancelTimer, Clock } from '../../shared/clock.ts';
import { h } from '../../shared/dom.ts';

const SHOWN_MS = 12_000;

let hide: CancelTimer = () => {};

/** Says what was done, in a corner, for a while; the button takes it back. A later text replaces it. */
export function showToast(
  clock: Clock,
  text: string,
  undo?: { readonly title: string; perform(): Promise<void> },
): void {
  hide();
  const element = h('div', { class: 'toast', role: 'status' }, h('p', {}, text));
  hide = () => {
    cancelTimer();
    element.remove();
  };
  const cancelTimer = clock.after(SHOWN_MS, () => hide());
  if (undo) {
    const onclick = () => {
      hide();
      void undo.perform();
    };
    element.append(h('button', { type: 'button', class: 'small', onclick }, undo.title));
  }
  document.body.append(element);
}
