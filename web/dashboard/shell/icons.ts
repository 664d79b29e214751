import { COMMON_PATHS, drawing } from '../../shared/drawing.ts';

/** Line drawings on a 16 × 16 grid. */
const PATHS = {
  ...COMMON_PATHS,
  upload: 'M8 11V2.5M4.5 6 8 2.5 11.5 6M2.5 10.5v3h11v-3',
  download: 'M8 2.5V11M4.5 7.5 8 11l3.5-3.5M2.5 10.5v3h11v-3',
  help: 'M5.9 6a2.1 2.1 0 1 1 3.2 1.8c-.7.45-1.1.8-1.1 1.7M8 12v.2',
  flag: 'M3.5 14V2.5h8l-1.6 3 1.6 3h-8',
  chevron: 'm4 6 4 4 4-4',
  info: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8Zm0 5.4V11M8 4.9V5',
  sliders: 'M2 5h6m4 0h2M2 11h2m4 0h6M10 3v4M6 9v4',
  right: 'm6 3.5 4.5 4.5L6 12.5',
} as const;
export type IconName = keyof typeof PATHS;

/** A drawing for the eyes only. */
export const icon = (name: IconName): SVGElement => drawing(PATHS[name]);
