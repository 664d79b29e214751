import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { type DeckReport, type DeckServer, webAddress } from '../kernel/deck/report.ts';
import type { PageFiles } from '../kernel/http/assets.ts';
import { type HubText, hubTexts } from './hub-text.ts';
import { type HubView, nextTheme } from './hub-view.ts';

type Texts = ReturnType<typeof hubTexts>;

export interface HubPage {
  /** The inline style's source in a content security policy: `sha256-…`. */
  readonly styleHash: string;
  /** The page with links to the servers of a deck; `address` is its own, whose host name reaches those that listen everywhere. */
  print(deck: DeckReport, address: string, view: HubView): { readonly html: string; readonly etag: string };
}

/** The drawings of the products, as in the header of the other pages. */
const DRAWINGS: Readonly<Record<string, string>> = {
  alerts: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.8 14h2.4',
  relay: 'M3.5 14V2.5h8l-1.6 3 1.6 3h-8',
  dashboard: 'M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6',
  rooms: 'M2.5 3.5h11v7.5H8l-3 2.5V11H2.5zM5.3 6.2h5.4M5.3 8.5h3.4',
};
const THEME_DRAWINGS = {
  system: 'M2 3h12v8H2zM5.5 13.8h5M8 11v2.8',
  light:
    'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  dark: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8',
};
const LOGO =
  '<svg width="24" height="24" aria-hidden="true"><rect width="24" height="24" rx="6" fill="#22262b"/><path d="M6.5 7h11" stroke="#ef5a4c" stroke-width="3" stroke-linecap="round"/><path d="M6.5 12.5h7" stroke="#e8a530" stroke-width="3" stroke-linecap="round"/><path d="M6.5 18h3" stroke="#6fa8dc" stroke-width="3" stroke-linecap="round"/></svg>';

/** Unpacks the hub page and inserts the version. */
export function readHubPage(files: PageFiles, version: string): HubPage {
  const packed = files['index.html']?.brotli ?? '';
  const source = packed === '' ? '' : brotliDecompressSync(Buffer.from(packed, 'base64')).toString('utf8');
  const template = source.replace('{version}', version).replace(/\n\s+/g, '\n');
  const style = /<style>([\s\S]*?)<\/style>/.exec(template)?.[1] ?? '';
  return {
    styleHash: `sha256-${createHash('sha256').update(style).digest('base64')}`,
    print(deck, address, view) {
      const texts = hubTexts(view.language);
      const words: Readonly<Record<string, string>> = { ...texts, header: printHeader(deck, address, view) };
      const shown = template.replace('lang="en"', `lang="${view.language}" data-theme="${view.theme}"`);
      const html = shown.replace(/\{([a-z.]+)\}/g, (whole, key: string) => words[key] ?? whole);
      return { html, etag: `"${createHash('sha256').update(html).digest('hex').slice(0, 16)}"` };
    },
  };
}

function printHeader({ hub, servers }: DeckReport, address: string, view: HubView): string {
  const texts = hubTexts(view.language);
  const home = hub === null ? undefined : webAddress(hub, address);
  const name = `${LOGO}<b>opsdeck</b>`;
  const brand = home
    ? `<a class="brand" href="${escapeText(home)}" aria-label="${texts.hub}">${name}</a>`
    : `<span class="brand">${name}</span>`;
  const links = servers.map((server) => printLink(server, address, texts)).join('');
  return `${brand}<nav aria-label="${texts.products}">${links}</nav>${printChoices(view, texts)}`;
}

function printLink({ name, title, url, state }: DeckServer, address: string, texts: Texts): string {
  const isOwn = name === 'dashboard';
  const href = isOwn ? url : webAddress(url, address);
  if (href === undefined) return '';
  const label = escapeText(Object.hasOwn(DRAWINGS, name) ? texts[name as HubText] : title);
  const trouble = state === 'ready' ? '' : `<i class="${state}" role="img" aria-label="(${texts[state]})"></i>`;
  const own = isOwn ? ' aria-current="true"' : '';
  return `<a href="${escapeText(href)}"${own}>${draw(DRAWINGS[name] ?? '')}${label}${trouble}</a>`;
}

/** Links, since the page has no scripts: the other language, and the next theme. */
function printChoices({ language, theme }: HubView, texts: Texts): string {
  const [other, name] = language === 'de' ? ['en', 'English'] : ['de', 'Deutsch'];
  const label = texts[`theme.${theme}`];
  return (
    `<a class="choice" href="?language=${other}" lang="${other}" title="${name}">${other.toUpperCase()}</a>` +
    `<a class="choice" href="?theme=${nextTheme(theme)}" title="${label}" aria-label="${label}">${draw(THEME_DRAWINGS[theme])}</a>`
  );
}

const draw = (path: string): string => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;

const escapeText = (text: string): string => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
