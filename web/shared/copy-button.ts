import type { Clock } from './clock.ts';
import { h } from './dom.ts';
import type { Language } from './language.ts';

const WORDS = {
  en: { copy: 'Copy', label: 'Copy ', copied: 'Copied', byHand: 'Press Ctrl+C' },
  de: { copy: 'Kopieren', label: 'Kopieren: ', copied: 'Kopiert', byHand: 'Strg+C drücken' },
} satisfies Record<Language, unknown>;

/** A button that copies a text; `what` names the text for screen readers. */
export function copyButton(clock: Clock, what: string, text: () => string, language: Language): HTMLButtonElement {
  const words = WORDS[language];
  const button = h(
    'button',
    { type: 'button', class: 'quiet copy', 'aria-label': `${words.label}${what}` },
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
