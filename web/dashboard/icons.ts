const NAMESPACE = 'http://www.w3.org/2000/svg';

/** Line drawings on a 16 × 16 grid. */
const PATHS = {
  upload: 'M8 11V2.5M4.5 6 8 2.5 11.5 6M2.5 10.5v3h11v-3',
  download: 'M8 2.5V11M4.5 7.5 8 11l3.5-3.5M2.5 10.5v3h11v-3',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.8v2.7h-2.7',
  help: 'M5.9 6a2.1 2.1 0 1 1 3.2 1.8c-.7.45-1.1.8-1.1 1.7M8 12v.2',
  flag: 'M3.5 14V2.5h8l-1.6 3 1.6 3h-8',
  edit: 'm3 13 .6-2.8L11 2.8l2.2 2.2-7.4 7.4L3 13Z',
  chevron: 'm4 6 4 4 4-4',
  close: 'm4 4 8 8m0-8-8 8',
  warning: 'M8 2 1.5 13.5h13L8 2Zm0 4.5V10m0 1.8v.1',
  info: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8Zm0 5.4V11M8 4.9V5',
  sliders: 'M2 5h6m4 0h2M2 11h2m4 0h6M10 3v4M6 9v4',
  left: 'm10 3.5-4.5 4.5 4.5 4.5',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  check: 'm3 8.5 3.2 3.2L13 4.8',
} as const;
export type IconName = keyof typeof PATHS;

/** A drawing for the eyes only. */
export function icon(name: IconName): SVGElement {
  const svg = svgElement('svg', {
    class: 'icon',
    viewBox: '0 0 16 16',
    width: '16',
    height: '16',
    'aria-hidden': 'true',
  });
  svg.append(svgElement('path', { d: PATHS[name] }));
  return svg;
}

export function svgElement(tag: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
