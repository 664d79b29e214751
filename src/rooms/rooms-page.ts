import { promisify } from 'node:util';
import { brotliDecompressSync, gzip } from 'node:zlib';
import type { PageFiles } from '../kernel/http/assets.ts';
import type { Boot, SignInBoot } from './contract/boot.ts';
import type { WireRoom } from './contract/room.ts';
import { wireUser } from './contract/user.ts';
import { findRoom } from './domain/access.ts';
import { type Caller, rulesServer } from './domain/caller.ts';
import type { Room } from './domain/room/room.ts';
import type { MessageReader } from './messages/reader.ts';
import type { RoomDirectory } from './room/directory.ts';
import type { RoomState } from './room/state.ts';

export interface RoomsPageParts {
  readonly files: PageFiles;
  readonly auth: 'none' | 'token';
  readonly state: RoomState;
  readonly directory: RoomDirectory;
  readonly reader: Pick<MessageReader, 'page'>;
  /** The current cursor of the stream. */
  readonly cursor: () => string;
}

/** The part of the page that is requested. */
export interface PageRequest {
  /** An id or slug; `undefined`: the room seen last, or the one with the latest message. */
  readonly room: string | undefined;
  readonly lastRoom: string | undefined;
  /** The id of a message to show in the middle. */
  readonly message: string | undefined;
  /** The relative path from its address to `/`: `./`, or one `../` per level. */
  readonly toRoot: string;
}

const FIRST_MESSAGES = 50;
const FIRST_ROOMS = 100;
const PLACE = '<script type="application/json" id="boot">';

/** The page with its first content embedded, so that it renders without further requests. */
export class RoomsPage {
  readonly #parts: RoomsPageParts;
  readonly #html: string;

  constructor(parts: RoomsPageParts) {
    this.#parts = parts;
    const packed = parts.files['index.html']?.brotli ?? '';
    const source = packed === '' ? PLACE : brotliDecompressSync(Buffer.from(packed, 'base64')).toString('utf8');
    if (!source.includes(PLACE)) throw new Error(`the page has no ${PLACE}`);
    this.#html = source;
  }

  /** The HTML for a caller; for `undefined` (signed out) without content. */
  async render(caller: Caller | undefined, request: PageRequest): Promise<string> {
    const json = caller
      ? await this.#boot(caller, request)
      : JSON.stringify({ auth: this.#parts.auth, user: null } satisfies SignInBoot);
    // The addresses of rooms and messages are deeper than the page.
    const [head, tail] = this.#html.replaceAll('"./', `"${request.toRoot}`).split(PLACE);
    // `<` would end the script or begin a comment.
    return `${head}${PLACE}${json.replaceAll('<', '\\u003c')}${tail}`;
  }

  async compress(html: string): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await promisify(gzip)(html, { level: 5 }));
  }

  async #boot(caller: Caller, request: PageRequest): Promise<string> {
    const { auth, directory } = this.#parts;
    // Taken before anything is read, so that a stream from there overlaps with it.
    const cursor = this.#parts.cursor();
    const everything = { joined: undefined, archived: false, labels: [], text: '' } as const;
    const listed = await directory.list(caller, everything, { limit: FIRST_ROOMS });
    const { rooms, next } = listed.ok ? listed.value : { rooms: [], next: null };
    const room = this.#choose(caller, request, rooms);
    const user = { ...wireUser(caller.user, null), admin: rulesServer(caller) };
    const facts = JSON.stringify({
      auth,
      user,
      rooms,
      next,
      cursor,
      asked: request.room ?? null,
      focus: request.message ?? null,
    } satisfies Omit<Boot, 'room'>);
    return `${facts.slice(0, -1)},"room":${room ? await this.#open(caller, room, request.message) : 'null'}}`;
  }

  #choose(
    caller: Caller,
    { room, lastRoom }: PageRequest,
    rooms: readonly Pick<WireRoom, 'id' | 'me'>[],
  ): Room | undefined {
    if (room !== undefined) return this.#find(caller, room);
    const last = lastRoom === undefined ? undefined : this.#find(caller, lastRoom);
    const first = (rooms.find(({ me }) => me !== undefined) ?? rooms[0])?.id;
    return last ?? (first === undefined ? undefined : this.#find(caller, first));
  }

  #find(caller: Caller, idOrSlug: string): Room | undefined {
    const found = findRoom(this.#parts.state, caller, idOrSlug);
    return found.ok ? found.value.room : undefined;
  }

  async #open(caller: Caller, room: Room, message: string | undefined): Promise<string> {
    const { directory, reader } = this.#parts;
    if (message !== undefined) {
      const around = await reader.page(caller, room.id, { around: message, limit: FIRST_MESSAGES });
      const opened = around.ok ? await directory.open(caller, room, 0) : around;
      if (around.ok && opened.ok) {
        const { messages, hasBefore, hasAfter } = around.value;
        const facts = JSON.stringify({ hasBefore, hasAfter }).slice(1, -1);
        // The last of equal keys counts: these messages replace the empty list.
        return `${opened.value.slice(0, -1)},${facts},"messages":[${messages.join(',')}]}`;
      }
    }
    const opened = await directory.open(caller, room, FIRST_MESSAGES);
    return opened.ok ? opened.value : 'null';
  }
}
