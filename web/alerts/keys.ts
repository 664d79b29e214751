import type { TextKey } from './text.ts';

/** What a key does; the shown page performs it. */
export type KeyAction =
  | 'search'
  | 'next'
  | 'previous'
  | 'select'
  | 'select-range'
  | 'acknowledge'
  | 'silence'
  | 'why'
  | 'open-all'
  | 'close-all'
  | 'density'
  | 'refresh'
  | 'new-silence'
  | 'clear'
  | 'help';

export interface KeyRow {
  /** Values of `KeyboardEvent.key`, the shown one first. */
  readonly keys: readonly string[];
  readonly text: TextKey;
  /** Without an action the focused element itself reacts to the key. */
  readonly action?: KeyAction;
}

/** The keys of the page, as `?` lists them. */
export const KEYS: readonly KeyRow[] = [
  { keys: ['/'], text: 'key.search', action: 'search' },
  { keys: ['j'], text: 'key.next', action: 'next' },
  { keys: ['k'], text: 'key.previous', action: 'previous' },
  { keys: ['ArrowDown', 'ArrowUp', 'Home', 'End'], text: 'key.move' },
  { keys: ['Enter'], text: 'key.open' },
  { keys: ['x'], text: 'key.select', action: 'select' },
  { keys: ['X'], text: 'key.select-range', action: 'select-range' },
  { keys: ['a'], text: 'key.acknowledge', action: 'acknowledge' },
  { keys: ['s'], text: 'key.silence', action: 'silence' },
  { keys: ['w'], text: 'key.why', action: 'why' },
  { keys: ['o'], text: 'key.open-all', action: 'open-all' },
  { keys: ['c'], text: 'key.close-all', action: 'close-all' },
  { keys: ['d'], text: 'key.density', action: 'density' },
  { keys: ['e'], text: 'silence.key.extend' },
  { keys: ['r'], text: 'key.refresh', action: 'refresh' },
  { keys: ['n'], text: 'key.new-silence', action: 'new-silence' },
  { keys: ['Escape'], text: 'key.clear', action: 'clear' },
  { keys: ['?'], text: 'key.help', action: 'help' },
];

const BY_KEY = new Map(KEYS.flatMap(({ keys, action }) => keys.map((key) => [key, action] as const)));

/** The action of a pressed key, as `KeyboardEvent.key` names it; undefined for any other key. */
export const actionOf = (key: string): KeyAction | undefined => BY_KEY.get(key);

const NAMES: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc', X: '⇧ X' };

/** How a key is printed. */
export const keyName = (key: string): string => NAMES[key] ?? key;
