import { COMMON_PATHS, drawing } from '../../shared/drawing.ts';

/** Line drawings on a 16 × 16 grid. */
const PATHS = {
  ...COMMON_PATHS,
  react: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M5.7 6.5v.1m4.6-.1v.1M5.3 9.5c1.3 1.8 4.1 1.8 5.4 0',
  reply: 'M6.5 4 3 7.5 6.5 11M3.3 7.5H9a4 4 0 0 1 4 4v1',
  thread: 'M2.5 3.5h11v7.5H8l-3 2.5V11H2.5zM5.3 6.2h5.4M5.3 8.5h3.4',
  link: 'M6.8 9.2 9.2 6.8M7.3 4.8l1.6-1.6a2.7 2.7 0 0 1 3.9 3.9l-1.6 1.6M8.7 11.2l-1.6 1.6a2.7 2.7 0 0 1-3.9-3.9l1.6-1.6',
  trash: 'M3 4.5h10M6.5 4V2.5h3V4M4.3 4.5l.6 9h6.2l.6-9',
  pin: 'M9.5 2.5 13.5 6.5 11 7.2l-2.5 2.5-.4 2.6-4.4-4.4 2.6-.4L8.8 5zM5.8 10.2 2.5 13.5',
  send: 'M2.5 8 13.5 3l-3 10.5-3-4zM7.5 9.5l6-6.5',
  attach: 'm12.8 7.7-5 5a3.2 3.2 0 0 1-4.5-4.5l5.5-5.5a2.1 2.1 0 0 1 3 3l-5.5 5.5a1 1 0 0 1-1.5-1.5l4.8-4.8',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3l3.2 3.2',
  people:
    'M6 3a2.2 2.2 0 1 0 0 4.5A2.2 2.2 0 0 0 6 3M1.8 13c.3-2.6 2-4 4.2-4s3.9 1.4 4.2 4M10.5 3.3a2.1 2.1 0 0 1 0 4M11.8 9.3c1.4.5 2.2 1.8 2.4 3.7',
  spark: 'M8 1.8 9.5 6l4.2 1.5L9.5 9 8 13.2 6.5 9 2.3 7.5 6.5 6zM13 11v3M11.5 12.5h3',
  back: COMMON_PATHS.left,
  down: 'M8 3v10M4 9l4 4 4-4',
  plus: 'M8 3v10M3 8h10',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5.3a2.5 2.5 0 0 1 5 0v2.2',
  hash: 'M6.5 2.5l-1 11M11 2.5l-1 11M3 6h10.5M2.5 10.3H13',
  person: 'M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4M3 13.5c.4-3 2.4-4.3 5-4.3s4.6 1.3 5 4.3',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.8 14h2.4',
  stop: 'M4.5 4.5h7v7h-7z',
  retry: COMMON_PATHS.refresh,
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8M8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4',
  file: 'M4 1.8h5l3 3v9.4H4zM8.8 2v3h3',
  more: 'M3.5 8v.1M8 8v.1M12.5 8v.1',
} as const;
export type IconName = keyof typeof PATHS;

/** A drawing, hidden from screen readers. */
export const icon = (name: IconName): SVGElement => drawing(PATHS[name]);
