const NAMESPACE = 'http://www.w3.org/2000/svg';

/** Line drawings on a 16 × 16 grid that several pages have. */
export const COMMON_PATHS = {
  edit: 'm3 13 .6-2.8L11 2.8l2.2 2.2-7.4 7.4z',
  close: 'm4 4 8 8m0-8-8 8',
  warning: 'M8 2 1.5 13.5h13zm0 4.5V10m0 1.8v.1',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.8v2.7h-2.7',
  left: 'm10 3.5-4.5 4.5 4.5 4.5',
} as const;

/** A drawing for the eyes only. */
export function drawing(path: string): SVGElement {
  const svg = svgElement('svg', {
    class: 'icon',
    viewBox: '0 0 16 16',
    width: '16',
    height: '16',
    'aria-hidden': 'true',
  });
  svg.append(svgElement('path', { d: path }));
  return svg;
}

export function svgElement(tag: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
