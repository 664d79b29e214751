import type { Clock } from './clock.ts';
import { h } from './dom.ts';

/** A button that copies a text; `what` names the text for those who cannot see it. */
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

/** The clipboard's own interface exists on HTTPS and loopback only; the old command works elsewhere. */
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
