/** In CSS pixels. */
interface Box {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
}

/** The place of a box, at least as large as the box. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PageLayout {
  readonly width: number;
  readonly height: number;
  /** In the order of the boxes. */
  readonly places: readonly Place[];
}

/** Maximum distance of the upper edges of figures in one row. */
const SAME_ROW_PX = 8;

/** Rows as on the page, stretched to the full width and as high as their highest box. */
export function layOutPage(boxes: readonly Box[], gap: number): PageLayout {
  const rows = rowsOf(boxes);
  const widthOf = (row: readonly number[]) => row.reduce((sum, index) => sum + (boxes[index]?.width ?? 0), 0);
  const width = Math.max(0, ...rows.map((row) => widthOf(row) + (row.length - 1) * gap));
  const places = boxes.map((): Place => ({ x: 0, y: 0, width: 0, height: 0 }));
  let y = 0;
  for (const row of rows) {
    const height = Math.max(...row.map((index) => boxes[index]?.height ?? 0));
    const spare = (width - widthOf(row) - (row.length - 1) * gap) / row.length;
    let x = 0;
    for (const index of row) {
      const place = { x, y, width: (boxes[index]?.width ?? 0) + spare, height };
      places[index] = place;
      x += place.width + gap;
    }
    y += height + gap;
  }
  return { width, height: Math.max(0, y - gap), places };
}

/** The boxes' indices by rows from above, each from left to right. */
function rowsOf(boxes: readonly Box[]): readonly (readonly number[])[] {
  const leftOf = (index: number) => boxes[index]?.left ?? 0;
  const rows: { readonly top: number; readonly row: number[] }[] = [];
  for (const { top, index } of boxes.map(({ top }, index) => ({ top, index })).sort((a, b) => a.top - b.top)) {
    const last = rows.at(-1);
    if (last && top - last.top <= SAME_ROW_PX) last.row.push(index);
    else rows.push({ top, row: [index] });
  }
  return rows.map(({ row }) => row.sort((a, b) => leftOf(a) - leftOf(b)));
}

/** Wraps text at spaces to a width; a longer word gets a line of its own. */
export function wrapText(text: string, width: number, measure: (text: string) => number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && measure(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}
