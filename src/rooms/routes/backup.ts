import type { RoomBackups } from '../backup/backup.ts';
import { requireAdmin } from '../domain/user/change.ts';
import type { RoomWriter } from '../room/writer.ts';
import { answerRefusal } from './answer/answers.ts';
import { watchedStream } from './answer/watched-stream.ts';
import type { Paths } from './index.ts';
import { admit, type GuardParts, refusedSince } from './request/guard.ts';

export interface BackupRouteParts {
  readonly guard: GuardParts;
  readonly backups: RoomBackups;
  readonly writer: Pick<RoomWriter, 'submit'>;
}

/** How much goes out between two looks at whether the reader still may. */
const LOOK_EVERY_BYTES = 2 ** 20;

/** The path by which all of it leaves at once. */
export function backupPaths({ guard, backups, writer }: BackupRouteParts): Paths {
  return {
    '/api/backup': {
      POST: admit(guard, { scope: 'admin' }, async (c, caller) => {
        const denied = requireAdmin(caller);
        if (denied) return answerRefusal(c, denied);
        const noted = await writer.submit<null>({
          decide: ({ now }) => {
            const entry = { at: now, by: caller.user.id, action: 'server.backup', roomId: null, subject: '' };
            return { ok: true, write: { audit: [entry] }, answer: () => null };
          },
        });
        if (!noted.ok && noted.code !== 'read_only') return answerRefusal(c, noted);
        return c.body(
          watchedStream(c, backups.write(), async () => !(await refusedSince(c)), LOOK_EVERY_BYTES),
          200,
          {
            'content-type': 'application/x-tar',
            'content-disposition': 'attachment; filename="rooms-backup.tar"',
            'cache-control': 'no-store',
          },
        );
      }),
    },
  };
}
