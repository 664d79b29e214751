import type { MarkerView } from '../../../src/dashboard/domain/view.ts';
import type { Window } from './plot/zoom-window.ts';

/** A marker, or several that touch, as a box over columns. */
export interface MarkerBox {
  readonly ids: readonly string[];
  readonly first: number;
  readonly last: number;
  readonly project: string;
  /** Empty if labels are dropped. */
  readonly label: string;
  /** Whether all its markers are open. */
  readonly isOpen: boolean;
}

/** Beyond this number in sight, touching boxes of a project are merged, and labels dropped. */
export const MAX_BOXES = 60;
export const MAX_LABEL = 24;
export const MIN_BOX_PX = 6;

/** The boxes in a window, in order of their first columns. */
export function placeBoxes(markers: readonly MarkerView[], window: Window): readonly MarkerBox[] {
  const boxes = markers.flatMap(({ marker, place, isOpen }): MarkerBox[] => {
    if (!place || place.last < window.min || place.first > window.max) return [];
    const text = marker.task === '' ? marker.project : `${marker.project} · ${marker.task}`;
    const label = `${shortLabel(text)}${isOpen ? ' *' : ''}`;
    return [{ ids: [marker.id], first: place.first, last: place.last, project: marker.project, label, isOpen }];
  });
  boxes.sort((a, b) => a.first - b.first || b.last - a.last);
  return boxes.length > MAX_BOXES ? mergeBoxes(boxes) : boxes;
}

export function shortLabel(text: string): string {
  const letters = [...text];
  return letters.length > MAX_LABEL
    ? `${letters
        .slice(0, MAX_LABEL - 1)
        .join('')
        .trimEnd()}…`
    : text;
}

/** Merges boxes of one project that overlap or touch. */
function mergeBoxes(boxes: readonly MarkerBox[]): readonly MarkerBox[] {
  const merged: MarkerBox[] = [];
  const latest = new Map<string, number>();
  for (const box of boxes) {
    const at = latest.get(box.project);
    const before = at === undefined ? undefined : merged[at];
    if (at !== undefined && before && box.first <= before.last + 1) {
      const last = Math.max(before.last, box.last);
      merged[at] = { ...before, ids: [...before.ids, ...box.ids], last, isOpen: before.isOpen && box.isOpen };
    } else {
      latest.set(box.project, merged.length);
      merged.push({ ...box, label: '' });
    }
  }
  return merged;
}

/**
 * The ends of a box in columns, half a column beyond its first and last; widened around its middle to the minimum
 * width.
 */
export function boxEdges(
  { first, last }: Pick<MarkerBox, 'first' | 'last'>,
  columnPx: number,
): { min: number; max: number } {
  const width = last - first + 1;
  const missing = columnPx > 0 ? Math.max(0, MIN_BOX_PX / columnPx - width) : 0;
  return { min: first - 0.5 - missing / 2, max: last + 0.5 + missing / 2 };
}

export interface LabelWish {
  /** Where its box begins, in pixels. */
  readonly left: number;
  readonly width: number;
}

/** A label in its row, or (`more` above 0) a chip for that number of labels without room. */
export interface PlacedLabel {
  /** Index of the label, or of the chip's first label. */
  readonly index: number;
  readonly row: number;
  readonly left: number;
  readonly width: number;
  readonly more: number;
  /** All its labels. */
  readonly stands: readonly number[];
}

export interface LabelSpace {
  readonly left: number;
  readonly right: number;
  readonly rows: number;
  readonly gap: number;
  /** Width of a chip `+3`. */
  readonly moreWidth: number;
}

/** Places labels, ordered by `left`, in rows without overlap; labels without room collapse into chips. */
export function layoutLabels(wishes: readonly LabelWish[], space: LabelSpace): readonly PlacedLabel[] {
  const ends = new Array<number>(space.rows).fill(Number.NEGATIVE_INFINITY);
  const placed: PlacedLabel[] = [];
  let chip: number | undefined;
  wishes.forEach(({ left, width }, index) => {
    const start = Math.max(space.left, Math.min(left, space.right - width));
    const row = start + width <= space.right + 0.5 ? ends.findIndex((end) => start >= end + space.gap) : -1;
    if (row >= 0) {
      ends[row] = start + width;
      placed.push({ index, row, left: start, width, more: 0, stands: [index] });
      chip = undefined;
      return;
    }
    const open = chip === undefined ? undefined : placed[chip];
    if (chip !== undefined && open) {
      placed[chip] = { ...open, more: open.more + 1, stands: [...open.stands, index] };
      return;
    }
    const made = placeChip(index, left, ends, placed, space);
    if (made === undefined) return;
    chip = made;
  });
  return placed;
}

/** A chip goes into the shortest row; without room there it replaces the last label of the row. */
function placeChip(
  index: number,
  left: number,
  ends: number[],
  placed: PlacedLabel[],
  space: LabelSpace,
): number | undefined {
  if (space.rows === 0) return undefined;
  const end = Math.min(...ends);
  const row = ends.indexOf(end);
  const start = Math.max(left, end + space.gap, space.left);
  if (start + space.moreWidth <= space.right) {
    ends[row] = start + space.moreWidth;
    placed.push({ index, row, left: start, width: space.moreWidth, more: 1, stands: [index] });
    return placed.length - 1;
  }
  const last = placed.findLastIndex((label) => label.row === row);
  const victim = placed[last];
  if (!victim) return undefined;
  const stands = [...victim.stands, index];
  const at = Math.min(victim.left, space.right - space.moreWidth);
  placed[last] = { index: victim.index, row, left: at, width: space.moreWidth, more: stands.length, stands };
  ends[row] = at + space.moreWidth;
  return last;
}
