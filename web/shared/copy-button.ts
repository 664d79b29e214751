import type { Clock } from './clock.ts';
import { h } from './dom.ts';

/** A button that copies a text; `what` names the text for screen readers. */
export function copyButton(clock: Clock, what: string, text: () => string): HTMLButtonElement {
  const button = h('button', { type: 'button', class: 'quiet copy', 'aria-label': `Copy ${what}` }, 'Copy');
  button.addEventListener('click', async () => {
    const copied = await copyText(text());
    button.textContent = copied ? 'Copied' : 'Press Ctrl+C';
    clock.after(2000, () => {
      button.textContent = 'Copy';
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
