import { join } from 'node:path';
import { loadSecretKey } from '../authentication/secret-cipher.ts';
import { RoomBackups } from '../backup/backup.ts';
import { RoomExports } from '../backup/export.ts';
import { RoomImport } from '../backup/import/import.ts';
import { printCursor } from '../contract/feed.ts';
import { makeUser } from '../domain/user/new-user.ts';
import type { FileStore } from '../files/file-store.ts';
import { newInviteCode } from '../invite-code.ts';
import { MessageReader } from '../messages/reader.ts';
import { UnreadCounts } from '../messages/unread-counts.ts';
import { RetentionJob } from '../retention-job.ts';
import { RoomDirectory } from '../room/directory.ts';
import { RoomOrder } from '../room/order.ts';
import { backupPaths } from '../routes/backup.ts';
import { exportPaths } from '../routes/export.ts';
import { invitePaths } from '../routes/invites.ts';
import { mePaths } from '../routes/me.ts';
import { memberPaths } from '../routes/members.ts';
import { retentionPaths } from '../routes/retention.ts';
import { roomPaths } from '../routes/rooms.ts';
import { MAX_OBJECT_BYTES, type RoomsCore, refuseUrl } from './core.ts';

/** Rooms and members, retention, export, import and backup. */
export function composeDirectory(core: RoomsCore, files: FileStore) {
  const { options, state, store, nodes, writer, presence, clock, guard, feed, outbound, cipher, alertRooms } = core;
  const order = new RoomOrder(state);
  const exports = new RoomExports({ ...core, files });
  writer.onCommit(order.follow);
  writer.onCommit(exports.follow);
  const retention = new RetentionJob({ ...core, retentionMs: options.retentionMs, readOnly: options.readOnly });
  const unread = new UnreadCounts(state, store);
  writer.onCommit(unread.follow);
  const directory = new RoomDirectory({
    state,
    unread,
    order,
    messages: new MessageReader({ state, store }),
    cursor: () => printCursor(feed.epoch, writer.pos),
    onlineCount: (roomId) => presence?.onlineCount(roomId) ?? 0,
  });
  const context = {
    cipher,
    alertRooms,
    refuseUrl: (url: string, allowPrivate: boolean) => refuseUrl(outbound, url, allowPrivate),
    newUser: options.auth === 'none' ? (id: string, now: number) => makeUser(id, now, { role: 'admin' }) : undefined,
  };
  const imports = new RoomImport({
    folder: options.dataDir,
    store,
    files,
    writer,
    context,
  });
  const folders = { folder: join(options.dataDir, 'backup'), filesFolder: join(options.dataDir, 'files') };
  const secretKey = () => options.secretKey ?? loadSecretKey(options.dataDir);
  const backups = nodes ? undefined : new RoomBackups({ ...core, ...folders, secretKey });
  const { requireIfMatch } = options;
  const parts = { guard, state, writer, directory, context, requireIfMatch, clock, maxBodyBytes: MAX_OBJECT_BYTES };
  return {
    paths: [
      roomPaths({ ...parts, purge: (roomId) => retention.purge(roomId) }),
      memberPaths(parts),
      mePaths(parts),
      invitePaths({ ...parts, newCode: newInviteCode }),
      retentionPaths({ guard, state, retention }),
      exportPaths({ guard, state, exports, imports }),
      backupPaths({ guard, backups, writer }),
    ],
    rooms: directory,
    async close() {
      await retention.close();
    },
  };
}
