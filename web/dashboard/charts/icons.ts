const SVG = 'http://www.w3.org/2000/svg';

const PATHS = {
  reset: 'M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3',
  taller: 'M8 2v12M5 5l3-3 3 3M5 11l3 3 3-3',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6',
  download: 'M8 2.5v7.5M4.8 7.2 8 10.4l3.2-3.2M3 13.2h10',
} as const;

/** A drawing of 16 × 16 for a button that has its name in words. */
export function icon(name: keyof typeof PATHS): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}
