const NAMESPACE = 'http://www.w3.org/2000/svg';

/** Line drawings on a 16 × 16 grid. */
const PATHS = {
  attach: 'm12.8 7.7-5 5a3.2 3.2 0 0 1-4.5-4.5l5.5-5.5a2.1 2.1 0 0 1 3 3l-5.5 5.5a1 1 0 0 1-1.5-1.5l4.8-4.8',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.8 14h2.4',
  chart: 'M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  chevron: 'm4 6 4 4 4-4',
  close: 'm4 4 8 8m0-8-8 8',
  down: 'M8 3v10M4 9l4 4 4-4',
  download: 'M8 2.5V11M4.5 7.5 8 11l3.5-3.5M2.5 10.5v3h11v-3',
  edit: 'm3 13 .6-2.8L11 2.8l2.2 2.2-7.4 7.4z',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8M8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4',
  file: 'M4 1.8h5l3 3v9.4H4zM8.8 2v3h3',
  flag: 'M3.5 14V2.5h8l-1.6 3 1.6 3h-8',
  hash: 'M6.5 2.5l-1 11M11 2.5l-1 11M3 6h10.5M2.5 10.3H13',
  help: 'M5.9 6a2.1 2.1 0 1 1 3.2 1.8c-.7.45-1.1.8-1.1 1.7M8 12v.2',
  info: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8Zm0 5.4V11M8 4.9V5',
  left: 'm10 3.5-4.5 4.5 4.5 4.5',
  link: 'M6.8 9.2 9.2 6.8M7.3 4.8l1.6-1.6a2.7 2.7 0 0 1 3.9 3.9l-1.6 1.6M8.7 11.2l-1.6 1.6a2.7 2.7 0 0 1-3.9-3.9l1.6-1.6',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5.3a2.5 2.5 0 0 1 5 0v2.2',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8',
  more: 'M3.5 8v.1M8 8v.1M12.5 8v.1',
  people:
    'M6 3a2.2 2.2 0 1 0 0 4.5A2.2 2.2 0 0 0 6 3M1.8 13c.3-2.6 2-4 4.2-4s3.9 1.4 4.2 4M10.5 3.3a2.1 2.1 0 0 1 0 4M11.8 9.3c1.4.5 2.2 1.8 2.4 3.7',
  person: 'M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4M3 13.5c.4-3 2.4-4.3 5-4.3s4.6 1.3 5 4.3',
  pin: 'M9.5 2.5 13.5 6.5 11 7.2l-2.5 2.5-.4 2.6-4.4-4.4 2.6-.4L8.8 5zM5.8 10.2 2.5 13.5',
  plus: 'M8 3v10M3 8h10',
  react: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M5.7 6.5v.1m4.6-.1v.1M5.3 9.5c1.3 1.8 4.1 1.8 5.4 0',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.8v2.7h-2.7',
  reply: 'M6.5 4 3 7.5 6.5 11M3.3 7.5H9a4 4 0 0 1 4 4v1',
  reset: 'M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  screen: 'M2 3h12v8H2zM5.5 13.8h5M8 11v2.8',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3l3.2 3.2',
  send: 'M2.5 8 13.5 3l-3 10.5-3-4zM7.5 9.5l6-6.5',
  sliders: 'M2 5h6m4 0h2M2 11h2m4 0h6M10 3v4M6 9v4',
  spark: 'M8 1.8 9.5 6l4.2 1.5L9.5 9 8 13.2 6.5 9 2.3 7.5 6.5 6zM13 11v3M11.5 12.5h3',
  stop: 'M4.5 4.5h7v7h-7z',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6',
  taller: 'M8 2v12M5 5l3-3 3 3M5 11l3 3 3-3',
  thread: 'M2.5 3.5h11v7.5H8l-3 2.5V11H2.5zM5.3 6.2h5.4M5.3 8.5h3.4',
  trash: 'M3 4.5h10M6.5 4V2.5h3V4M4.3 4.5l.6 9h6.2l.6-9',
  upload: 'M8 11V2.5M4.5 6 8 2.5 11.5 6M2.5 10.5v3h11v-3',
  warning: 'M8 2 1.5 13.5h13zm0 4.5V10m0 1.8v.1',
} as const;
export type IconName = keyof typeof PATHS;

/** A drawing hidden from screen readers: its button has a name in words. */
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
