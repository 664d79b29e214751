import type { CancelTimer } from '../../shared/clock.ts';
import { h } from '../../shared/dom.ts';
import type { PageContext } from '../page.ts';

const SHOWN_MS = 12_000;
/** Screen readers announce what comes into a region that they know already. */
const REGION_MS = 50;

let region: HTMLElement | undefined;
let forget: CancelTimer = () => {};

/** Says what was done, in a corner, for a while; the button takes it back. A later text replaces it. */
export function showToast(
  { clock }: Pick<PageContext, 'clock'>,
  text: string,
  undo?: { readonly title: string; perform(): Promise<void> },
): void {
  forget();
  const place = region ?? h('div', { class: 'toasts', role: 'status' });
  region = place;
  document.body.append(place);
  const hide = () => place.replaceChildren();
  const element = h('div', { class: 'toast' }, h('p', {}, text));
  if (undo) {
    const onclick = () => {
      hide();
      void undo.perform();
    };
    element.append(h('button', { type: 'button', class: 'small', onclick }, undo.title));
  }
  const cancelShow = clock.after(REGION_MS, () => place.replaceChildren(element));
  const cancelHide = clock.after(SHOWN_MS, hide);
  forget = () => {
    cancelShow();
    cancelHide();
  };
}
