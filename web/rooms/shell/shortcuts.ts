import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { Ui } from './ui.ts';

export interface KeyHooks {
  search(): void;
  inbox(): void;
  /** Focuses the composer. */
  compose(): void;
  messageOf(id: string): WireMessage | undefined;
  react(message: WireMessage, near: HTMLElement): void;
}

const FIELDS = 'input, textarea, select, [contenteditable]';

/** Keyboard shortcuts of the whole page. */
export function listenToKeys(ui: Ui, hooks: KeyHooks): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    if (onEverywhere(event, ui, hooks)) return event.preventDefault();
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest(`${FIELDS}, dialog`)) return;
    const message = target.matches('article') ? hooks.messageOf(target.dataset.id ?? '') : undefined;
    if (message && onMessage(event.key, message, target, ui, hooks)) return event.preventDefault();
    if (event.key === '/') {
      event.preventDefault();
      hooks.search();
    } else if (event.key === 'i') hooks.inbox();
    else if (event.key === 'Escape') hooks.compose();
  });
}

function onEverywhere(event: KeyboardEvent, ui: Ui, hooks: KeyHooks): boolean {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') hooks.search();
  else if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown'))
    step(event.key === 'ArrowUp' ? -1 : 1, ui);
  else return false;
  return true;
}

function onMessage(key: string, message: WireMessage, target: HTMLElement, { actions }: Ui, hooks: KeyHooks): boolean {
  if (key === 'r') actions.reply(message);
  else if (key === 't') actions.openThread(message.threadId ?? message.id);
  else if (key === 'e') hooks.react(message, target);
  else if (key === 'c') actions.copyLink(message);
  else return false;
  return true;
}

/** Opens the room before or after this one in the rail. */
function step(by: number, { model, actions }: Ui): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.rail-link')];
  const at = links.findIndex((link) => link.getAttribute('aria-current') === 'page');
  const next = links[at + by];
  const slug = next?.pathname.split('/').at(-1);
  const entry = slug === undefined ? undefined : model.entry(decodeURIComponent(slug));
  if (entry) actions.openRoom(entry.room.id);
}
