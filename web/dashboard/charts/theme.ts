/** The current colours, as canvas understands them. */
export interface Theme {
  /** The value of a CSS custom property. */
  color(property: string): string;
  readonly fontFamily: string;
  /** Forced colours are active: fills need patterns. */
  readonly forcedColours: boolean;
}

/**
 * Reads colours through a probe element in `root`, which resolves `var()`, `light-dark()` and system colours. Read anew
 * after a change of theme.
 */
export function readTheme(root: HTMLElement): Theme {
  const probe = document.createElement('span');
  probe.hidden = true;
  const known = new Map<string, string>();
  return {
    color(property) {
      const value = known.get(property);
      if (value !== undefined) return value;
      if (!probe.isConnected) root.append(probe);
      probe.style.color = `var(${property})`;
      const read = getComputedStyle(probe).color;
      probe.remove();
      known.set(property, read);
      return read;
    },
    fontFamily: getComputedStyle(root).fontFamily,
    forcedColours: matchMedia('(forced-colors: active)').matches,
  };
}

/** Calls `changed` when colours may have changed; returns the end of that. */
export function watchTheme(changed: () => void): () => void {
  const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)'].map((query) =>
    matchMedia(query),
  );
  for (const query of queries) query.addEventListener('change', changed);
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class'] });
  return () => {
    for (const query of queries) query.removeEventListener('change', changed);
    observer.disconnect();
  };
}

/** The colour with another opacity; colours come as `rgb(…)` from computed styles. */
export function withAlpha(color: string, alpha: number): string {
  const channels = /^rgba?\(([^)]+)\)$/
    .exec(color)?.[1]
    ?.split(/[\s,/]+/)
    .slice(0, 3);
  return channels ? `rgba(${channels.join(', ')}, ${alpha})` : color;
}

/** Stripes of a colour on a surface, in the `nth` of four directions. */
export function stripes(color: string, surface: string, nth: number): CanvasPattern | string {
  if (nth === 0) return color;
  const size = 8;
  const tile = document.createElement('canvas');
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext('2d');
  if (!pen) return color;
  pen.fillStyle = surface;
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = color;
  pen.lineWidth = 2;
  pen.beginPath();
  if (nth % 4 === 1) for (const shift of [-size, 0, size]) line(pen, shift, size, shift + size, 0);
  else if (nth % 4 === 2) line(pen, 0, size / 2, size, size / 2);
  else if (nth % 4 === 3) line(pen, size / 2, 0, size / 2, size);
  else for (const shift of [-size, 0, size]) line(pen, shift, 0, shift + size, size);
  pen.stroke();
  return pen.createPattern(tile, 'repeat') ?? color;
}

function line(pen: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
}
