import type { Clock } from './clock.ts';
import { h } from './dom.ts';

/** The words of a button that copies. */
export interface CopyWords {
  readonly copy: string;
  readonly copied: string;
  readonly byHand: string;
}

const ENGLISH: CopyWords = { copy: 'Copy', copied: 'Copied', byHand: 'Press Ctrl+C' };

/** A button that copies a text; `what` names the text for screen readers. */
export function copyButton(clock: Clock, what: string, text: () => string, words = ENGLISH): HTMLButtonElement {
  const button = h(
    'button',
    { type: 'button', class: 'quiet copy', 'aria-label': `${words.copy} ${what}` },
    words.copy,
  );
  button.addEventListener('click', async () => {
    const copied = await copyText(text());
    button.textContent = copied ? words.copied : words.byHand;
    clock.after(2000, () => {
      button.textContent = words.copy;
    });
  });
  return button;
}

/** The clipboard API exists on HTTPS and loopback only; elsewhere the old command works. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h('textarea', { class: 'off-screen', 'aria-hidden': 'true' });
    field.value = text;
    const focused = document.activeElement;
    document.body.append(field);
    field.select();
    const copied = document.execCommand('copy');
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return copied;
  }
}
