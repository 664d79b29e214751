import type { Granularity, Source } from '../data/state.ts';
import { GRANULARITIES } from '../data/state.ts';

export interface ShortcutActions {
  search(): void;
  granularity(granularity: Granularity): void;
  toggleMode(): void;
  source(source: Source): void;
  newMarker(): void;
  shift(direction: -1 | 1): void;
  resetZoom(): void;
  toggleCompare(): void;
  nextTheme(): void;
  help(): void;
}

const TYPING = 'input:not([type="checkbox"], [type="radio"]), select, textarea, dialog, [role="menu"]';
const SOURCE_KEYS: Readonly<Record<string, Source>> = { c: 'csv', l: 'live', b: 'merge' };

/** Shortcuts of single keys, off while typing and in dialogs. */
export function listenForShortcuts(actions: ShortcutActions): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest(TYPING)) return;
    if (document.querySelector('dialog[open]')) return;
    if (perform(event.key, actions)) event.preventDefault();
  });
}

function perform(key: string, actions: ShortcutActions): boolean {
  const granularity = /^[1-6]$/.test(key) ? GRANULARITIES[Number(key) - 1] : undefined;
  const source = Object.hasOwn(SOURCE_KEYS, key) ? SOURCE_KEYS[key] : undefined;
  if (granularity) actions.granularity(granularity);
  else if (source) actions.source(source);
  else if (key === '/') actions.search();
  else if (key === 't') actions.toggleMode();
  else if (key === 'm') actions.newMarker();
  else if (key === '[') actions.shift(-1);
  else if (key === ']') actions.shift(1);
  else if (key === '0') actions.resetZoom();
  else if (key === 'x') actions.toggleCompare();
  else if (key === 'd') actions.nextTheme();
  else if (key === '?') actions.help();
  else return false;
  return true;
}
