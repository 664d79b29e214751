// Readable exports: Markdown, and one HTML page that loads nothing from other servers.
import type { Message } from '../../domain/message/message.ts';
import type { Room } from '../../domain/room/room.ts';
import { printInstant } from '../instant.ts';

/** How an export reads. Every part ends with a line end. */
export interface ExportPage {
  begin(room: Room, exportedAt: number): string;
  message(message: Message): string;
  /** Heads the messages that were changed while the export was written, which are shown again. */
  changed(): string;
  end(): string;
}

const CHANGED = 'Changed while this was written';

export const markdownPage: ExportPage = {
  begin: ({ name, topic }, at) =>
    `# ${escapeMarkdown(name)}\n\n${topic === '' ? '' : `${escapeMarkdown(topic)}\n\n`}Exported ${printInstant(at)}.\n`,
  message(message) {
    const { author, body, format, card, attachments } = message;
    const head = `\n---\n\n**${escapeMarkdown(author.name)}** · ${factsOf(message)}\n\n`;
    if (message.deleted) return `${head}*deleted*\n`;
    const words = format === 'plain' && body !== '' ? fence(body) : body;
    const files = attachments.map(({ name, size }) => `- ${escapeMarkdown(name)} (${size} bytes)\n`).join('');
    return `${head}${words === '' ? '' : `${words}\n`}${files}${card === null ? '' : `\n${fence(JSON.stringify(card, null, 2))}\n`}`;
  },
  changed: () => `\n## ${CHANGED}\n`,
  end: () => '',
};

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}' +
  'article{border-top:1px solid #8884;padding:.5rem 0}header{color:GrayText}pre{white-space:pre-wrap;font:inherit;margin:0}' +
  'code{font-family:ui-monospace,monospace}';

export const htmlPage: ExportPage = {
  begin: ({ name, topic }, at) =>
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
    `<meta name="viewport" content="width=device-width"><title>${escapeHtml(name)}</title><style>${STYLE}</style></head>\n` +
    `<body><h1>${escapeHtml(name)}</h1>\n<p>${escapeHtml(topic)}</p>\n<p>Exported ${printInstant(at)}.</p>\n`,
  message(message) {
    const { id, author, body, card, attachments } = message;
    const head = `<article id="${escapeHtml(id)}"><header><b>${escapeHtml(author.name)}</b> · ${escapeHtml(factsOf(message))}</header>`;
    if (message.deleted) return `${head}<i>deleted</i></article>\n`;
    const files = attachments.map(({ name, size }) => `<li>${escapeHtml(name)} (${size} bytes)</li>`).join('');
    const shown = card === null ? '' : `<pre><code>${escapeHtml(JSON.stringify(card, null, 2))}</code></pre>`;
    return `${head}<pre>${escapeHtml(body)}</pre>${files === '' ? '' : `<ul>${files}</ul>`}${shown}</article>\n`;
  },
  changed: () => `<h2>${CHANGED}</h2>\n`,
  end: () => '</body></html>\n',
};

function factsOf({ seq, createdAt, threadId, replyTo, edited, reactions }: Message): string {
  const facts = [`#${seq}`, printInstant(createdAt)];
  if (threadId !== null) facts.push(`in the thread of ${threadId}`);
  if (replyTo !== null) facts.push(`to ${replyTo}`);
  if (edited) facts.push('edited');
  for (const { emoji, count } of reactions) facts.push(`${emoji} ${count}`);
  return facts.join(' · ');
}

/** A fence longer than any in the text. */
function fence(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}

const escapeMarkdown = (text: string): string => text.replace(/[\\`*_[\]<>#|]/g, '\\$&');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
