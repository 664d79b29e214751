import { servePage } from '../../kernel/http/assets.ts';
import { printCursor } from '../contract/feed.ts';
import type { MessageReader } from '../messages/reader.ts';
import type { RoomDirectory } from '../room/directory.ts';
import { RoomsPage } from '../rooms-page.ts';
import type { Paths } from '../routes/index.ts';
import { pagePaths } from '../routes/page.ts';
import type { RoomsCore } from './core.ts';

/** The page and its files. */
export function composePage(core: RoomsCore, directory: RoomDirectory, reader: MessageReader): readonly Paths[] {
  const { page: files, options, guard, state, feed, writer } = core;
  if (!files) return [];
  const cursor = () => printCursor(feed.epoch, writer.pos);
  const page = new RoomsPage({ files, auth: options.auth, state, directory, reader, cursor });
  return [pagePaths({ guard, page, serve: servePage(files) })];
}
