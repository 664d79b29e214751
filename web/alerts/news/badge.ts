import type { Tone } from '../alert/severity.ts';

/** The badge's colours: a favicon has no palette of the page. */
const COLOURS: Readonly<Record<Tone, string>> = {
  critical: '#dc4437',
  warning: '#e2a024',
  info: '#5f9bd1',
  neutral: '#878d94',
};

/** The drawing of a count: a filled square with the number, `99+` from a hundred. */
export function badgeSvg(count: number, tone: Tone): string {
  const text = count > 99 ? '99+' : String(count);
  const size = text.length > 2 ? 15 : text.length > 1 ? 19 : 23;
  const ink = tone === 'warning' ? '#1d2024' : '#ffffff';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${COLOURS[tone]}"/><text x="16" y="16.5" fill="${ink}" font-family="sans-serif" font-weight="700" font-size="${size}" text-anchor="middle" dominant-baseline="central">${text}</text></svg>`;
}
