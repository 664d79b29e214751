import { showList } from '../../../kernel/terminal/show.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { WireRoom } from '../../contract/room.ts';
import { type RoomsClient, withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { ageOf, colorsOf, printJson } from '../output.ts';
import { enc, pageSchema, roomsSchema } from '../wire.ts';

export interface ListOptions extends ConnectionOptions {
  readonly joined?: boolean;
  readonly unread?: boolean;
  readonly archived?: boolean;
  readonly limit: number;
}

const PAGE = 200;
const MAX_LINE = 60;
/** Concurrent requests for the rooms' last messages. */
const AT_ONCE = 8;

/** `rooms ls`: the latest message first. */
export async function listRooms(options: ListOptions, terminal: Terminal): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const rooms = await readRooms(client, options);
    if (options.json) return printJson(terminal, rooms);
    const lines = await lastLines(client, rooms);
    const colors = colorsOf(terminal);
    const rows = rooms.map(({ slug, me, lastMessageAt }, index) => {
      const { unread = 0, unreadMentions = 0 } = me ?? {};
      const count = unreadMentions > 0 ? `${unread} (@${unreadMentions})` : String(unread);
      return [
        { text: slug, style: colors.cyan },
        unread > 0 ? { text: count, style: colors.bold } : me ? '0' : '-',
        lines[index] ?? '',
        ageOf(lastMessageAt, terminal.clock.now()),
      ];
    });
    const list = { titles: ['ROOM', 'UNREAD', 'LAST', 'AGE'], rows };
    await showList(list, { what: 'rooms', place: client.url }, terminal);
  });
}

async function readRooms(client: RoomsClient, options: ListOptions): Promise<readonly WireRoom[]> {
  const { joined, unread, archived, limit } = options;
  const rooms: WireRoom[] = [];
  let next: string | null = '';
  while (next !== null && rooms.length < limit) {
    const query = new URLSearchParams({ limit: String(PAGE) });
    if (joined || unread) query.set('joined', 'true');
    if (archived) query.set('archived', 'true');
    if (next !== '') query.set('next', next);
    const page: { readonly rooms: readonly WireRoom[]; readonly next: string | null } = await client.get(
      `/api/room?${query}`,
      roomsSchema,
    );
    rooms.push(...page.rooms.filter(({ me }) => !unread || (me?.unread ?? 0) > 0));
    next = page.next;
  }
  return rooms.slice(0, limit);
}

async function lastLines(client: RoomsClient, rooms: readonly WireRoom[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let start = 0; start < rooms.length; start += AT_ONCE)
    lines.push(...(await Promise.all(rooms.slice(start, start + AT_ONCE).map((room) => lastLine(client, room)))));
  return lines;
}

async function lastLine(client: RoomsClient, { id, lastSeq }: WireRoom): Promise<string> {
  if (lastSeq === 0) return '';
  const { messages } = await client.get(`/api/room/${enc(id)}/message?limit=1`, pageSchema);
  const message = messages.at(-1);
  if (!message) return '';
  const [first = ''] = message.deleted ? ['(deleted)'] : message.body.split('\n');
  const line = `${message.author.name}: ${first}`;
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}
