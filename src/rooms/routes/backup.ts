import { requireAdmin } from '../domain/user-change.ts';
import type { RoomBackups } from '../room-backup.ts';
import type { RoomWriter } from '../room-writer.ts';
import { answerRefusal } from './answers.ts';
import { admit, type GuardParts } from './guard.ts';
import type { Paths } from './index.ts';

export interface BackupRouteParts {
  readonly guard: GuardParts;
  readonly backups: RoomBackups;
  readonly writer: Pick<RoomWriter, 'submit'>;
}

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
        return c.body(streamOf(backups.write()), 200, {
          'content-type': 'application/x-tar',
          'content-disposition': 'attachment; filename="rooms-backup.tar"',
          'cache-control': 'no-store',
        });
      }),
    },
  };
}

/** Asks for the next piece when the last one is on its way, and for none before somebody reads. */
function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // An empty piece, such as the padding of a full block, would be asked for again and again.
        for (;;) {
          const { done, value } = await pieces.next();
          if (done) return controller.close();
          if (value.length > 0) return controller.enqueue(value);
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
