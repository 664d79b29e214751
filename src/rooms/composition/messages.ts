import { join } from 'node:path';
import type { SlashCommands } from '../commands/slash-commands.ts';
import { printCursor } from '../contract/feed.ts';
import { FileCleanup } from '../files/cleanup.ts';
import { FolderContents } from '../files/contents/folder.ts';
import { FileStore } from '../files/file-store.ts';
import { Inbox } from '../messages/inbox.ts';
import { MessageReader } from '../messages/reader.ts';
import { MessageSearch } from '../messages/search.ts';
import { MessageWriter } from '../messages/writer.ts';
import { filePaths } from '../routes/files.ts';
import type { Paths } from '../routes/index.ts';
import { messagePaths } from '../routes/messages.ts';
import { reactionPaths } from '../routes/reactions.ts';
import { searchPaths } from '../routes/search.ts';
import type { RoomsCore } from './core.ts';

/** Messages and files. */
export function composeMessages(core: RoomsCore) {
  const { options, state, store, nodes, writer, guard, newId, clock, log, feed } = core;
  const { maxBodyBytes, maxUploadBytes, editWindowMs, keepEditHistory, requireIfMatch } = options;
  const contents = nodes?.contents ?? new FolderContents(join(options.dataDir, 'files'));
  const files = new FileStore({ contents, state, store, writer, newId, maxBytes: maxUploadBytes });
  const cleanup = new FileCleanup({ files, jobs: core.jobs, clock, log });
  const rules = { maxBodyBytes, editWindowMs, keepEditHistory, joinOnPost: options.auth === 'none' };
  const messages = new MessageWriter({ state, store, writer, files, rules });
  const reader = new MessageReader({ state, store });
  const search = new MessageSearch(state, store);
  const inbox = new Inbox({ state, store, reader });
  const cursor = () => printCursor(feed.epoch, writer.pos);
  const paths = (commands: SlashCommands): readonly Paths[] => [
    messagePaths({ guard, messages, reader, commands, maxBodyBytes, requireIfMatch, cursor }),
    reactionPaths({ guard, messages, reader }),
    searchPaths({ guard, search, reader, inbox }),
    filePaths({ guard, files, maxBytes: maxUploadBytes }),
  ];
  return {
    paths,
    messages,
    reader,
    files,
    async close() {
      await cleanup.close();
      await files.close();
    },
  };
}
