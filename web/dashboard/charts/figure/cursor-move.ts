import type { Window } from '../plot/zoom-window.ts';

/** The next position of the keyboard cursor, within the visible columns; undefined for other keys. */
export function moveCursor(key: string, at: number | undefined, { min, max }: Window): number | undefined {
  const start = at === undefined ? undefined : Math.min(max, Math.max(min, at));
  switch (key) {
    case 'ArrowRight':
      return start === undefined ? min : Math.min(max, start + 1);
    case 'ArrowLeft':
      return start === undefined ? max : Math.max(min, start - 1);
    case 'PageDown':
      return start === undefined ? min : Math.min(max, start + 10);
    case 'PageUp':
      return start === undefined ? max : Math.max(min, start - 10);
    case 'Home':
      return min;
    case 'End':
      return max;
    default:
      return undefined;
  }
}
