import * as v from 'valibot';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { ageOf, colorsOf, printJson } from '../output.ts';
import { enc, messageSchema, roomSchema } from '../wire.ts';

export interface SearchOptions extends ConnectionOptions {
  readonly room?: string;
  readonly from?: string;
  readonly type?: string;
  readonly before?: string;
  readonly after?: string;
  readonly limit: number;
}

const hitsSchema = v.looseObject({
  hits: v.array(
    v.looseObject({
      message: messageSchema,
      snippet: v.string(),
      offsets: v.array(v.tuple([v.number(), v.number()])),
    }),
  ),
  next: v.nullable(v.string()),
});
type Hit = v.InferOutput<typeof hitsSchema>['hits'][number];

/** The server's page size. */
const PAGE = 100;

/** `rooms search`: the newest first. */
export async function search(words: readonly string[], options: SearchOptions, terminal: Terminal): Promise<void> {
  const { room, from, type, before, after, limit, json } = options;
  await withClient(options, terminal, async (client) => {
    const hits: Hit[] = [];
    let next: string | null = '';
    while (next !== null && hits.length < limit) {
      const query = new URLSearchParams({ q: words.join(' '), limit: String(Math.min(PAGE, limit - hits.length)) });
      const filters = { room, from, type, before, after, next: next || undefined };
      for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value);
      const page: v.InferOutput<typeof hitsSchema> = await client.get(`/api/search?${query}`, hitsSchema);
      hits.push(...page.hits);
      next = page.next;
    }
    if (json) return printJson(terminal, hits);
    const colors = colorsOf(terminal);
    const slugs = new Map<string, string>();
    for (const { roomId } of hits.map(({ message }) => message)) {
      if (!slugs.has(roomId)) slugs.set(roomId, (await client.get(`/api/room/${enc(roomId)}`, roomSchema)).slug);
    }
    for (const { message, snippet, offsets } of hits) {
      const { roomId, author, createdAt, id } = message;
      const head = printable(`${slugs.get(roomId)} ${author.name}, ${ageOf(createdAt, terminal.clock.now())} ago`);
      terminal.out(
        `${colors.cyan(head)} ${colors.dim(printable(id))}\n    ${markSnippet(snippet, offsets, colors.bold)}\n`,
      );
    }
    if (hits.length === 0) terminal.err('search: nothing was found\n');
  });
}

/** On one line, with matches marked. */
function markSnippet(
  text: string,
  offsets: readonly (readonly [number, number])[],
  mark: (text: string) => string,
): string {
  const plain = (part: string) => printable(part.replaceAll(/[\n\t]/g, ' '));
  let marked = '';
  let at = 0;
  for (const [start, end] of offsets) {
    marked += plain(text.slice(at, start)) + mark(plain(text.slice(start, end)));
    at = end;
  }
  return marked + plain(text.slice(at));
}
