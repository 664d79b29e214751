import { join } from 'node:path';
import type { SlashCommands } from '../commands/slash-commands.ts';
import { FileCleanup } from '../files/cleanup.ts';
import { FileStore } from '../files/file-store.ts';
import { MessageBook } from '../messages/message-book.ts';
import { MessageReader } from '../messages/message-book-reader.ts';
import { MessageSearch } from '../messages/message-book-search.ts';
import { filePaths } from '../routes/files.ts';
import type { Paths } from '../routes/index.ts';
import { messagePaths } from '../routes/messages.ts';
import { pinPaths } from '../routes/pins.ts';
import { reactionPaths } from '../routes/reactions.ts';
import { searchPaths } from '../routes/search.ts';
import type { RoomsCore } from './core.ts';

/** Messages and files. */
export function composeMessages(core: RoomsCore) {
  const { options, state, store, writer, guard, newId, clock, log, epoch } = core;
  const { maxBodyBytes, maxUploadBytes, editWindowMs, keepEditHistory, requireIfMatch } = options;
  const folder = join(options.dataDir, 'files');
  const files = new FileStore({ folder, state, store, writer, newId, maxBytes: maxUploadBytes });
  const cleanup = new FileCleanup({ files, clock, log });
  const rules = { maxBodyBytes, editWindowMs, keepEditHistory, joinOnPost: options.auth === 'none' };
  const book = new MessageBook({ state, store, writer, files, rules });
  const reader = new MessageReader({ state, store });
  const search = new MessageSearch(state, store);
  const cursor = () => `${epoch}-${writer.pos}`;
  const paths = (commands: SlashCommands): readonly Paths[] => [
    messagePaths({ guard, book, reader, commands, maxBodyBytes, requireIfMatch, cursor }),
    reactionPaths({ guard, book, reader }),
    pinPaths({ guard, book, reader }),
    searchPaths({ guard, search, reader }),
    filePaths({ guard, files, maxBytes: maxUploadBytes }),
  ];
  return {
    paths,
    book,
    reader,
    files,
    async close() {
      await cleanup.close();
      await files.close();
    },
  };
}
