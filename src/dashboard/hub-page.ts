import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { type DeckReport, type DeckServer, webAddress } from '../kernel/deck/report.ts';
import type { PageFiles } from '../kernel/http/assets.ts';

export interface HubPage {
  /** The inline style's source in a content security policy: `sha256-…`. */
  readonly styleHash: string;
  /** The page with links to the servers of a deck; `address` is its own, whose host name reaches those that listen everywhere. */
  print(deck: DeckReport, address: string): { readonly html: string; readonly etag: string };
}

/** The drawings of the products, as in the header of the other pages. */
const DRAWINGS: Readonly<Record<string, string>> = {
  alerts: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.8 14h2.4',
  relay: 'M3.5 14V2.5h8l-1.6 3 1.6 3h-8',
  dashboard: 'M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6',
  rooms: 'M2.5 3.5h11v7.5H8l-3 2.5V11H2.5zM5.3 6.2h5.4M5.3 8.5h3.4',
};
const LOGO =
  '<svg width="24" height="24" aria-hidden="true"><rect width="24" height="24" rx="6" fill="#22262b"/><path d="M6.5 7h11" stroke="#ef5a4c" stroke-width="3" stroke-linecap="round"/><path d="M6.5 12.5h7" stroke="#e8a530" stroke-width="3" stroke-linecap="round"/><path d="M6.5 18h3" stroke="#6fa8dc" stroke-width="3" stroke-linecap="round"/></svg>';

/** Unpacks the hub page and inserts the version. */
export function readHubPage(files: PageFiles, version: string): HubPage {
  const packed = files['index.html']?.brotli ?? '';
  const source = packed === '' ? '' : brotliDecompressSync(Buffer.from(packed, 'base64')).toString('utf8');
  const template = source.replace('{version}', version);
  const style = /<style>([\s\S]*?)<\/style>/.exec(template)?.[1] ?? '';
  return {
    styleHash: `sha256-${createHash('sha256').update(style).digest('base64')}`,
    print(deck, address) {
      const html = template.replace('{header}', () => printHeader(deck, address));
      return { html, etag: `"${createHash('sha256').update(html).digest('hex').slice(0, 16)}"` };
    },
  };
}

function printHeader({ hub, servers }: DeckReport, address: string): string {
  const home = hub === null ? undefined : webAddress(hub, address);
  const name = `${LOGO}<b>opsdeck</b>`;
  const brand = home
    ? `<a class="brand" href="${escapeText(home)}" aria-label="opsdeck, all servers">${name}</a>`
    : `<span class="brand">${name}</span>`;
  return `${brand}<nav aria-label="Products">${servers.map((server) => printLink(server, address)).join('')}</nav>`;
}

function printLink({ name, title, url }: DeckServer, address: string): string {
  const isOwn = name === 'dashboard';
  const href = isOwn ? url : webAddress(url, address);
  if (href === undefined) return '';
  const drawing = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${DRAWINGS[name] ?? ''}"/></svg>`;
  return `<a href="${escapeText(href)}"${isOwn ? ' aria-current="true"' : ''}>${drawing}${escapeText(title)}</a>`;
}

const escapeText = (text: string): string => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
