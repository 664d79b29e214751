import * as v from 'valibot';
import type { RoomBackups } from '../backup/backup.ts';
import { refuse } from '../domain/refusal.ts';
import { requireAdmin } from '../domain/user/change.ts';
import type { RoomWriter } from '../room/writer.ts';
import { answerRefusal } from './answer/answers.ts';
import { watchedStream } from './answer/watched-stream.ts';
import type { Paths } from './index.ts';
import { admit, type CallerHandler, type GuardParts, refusedSince } from './request/guard.ts';
import { readQuery } from './request/query.ts';

export interface BackupRouteParts {
  readonly guard: GuardParts;
  /** `undefined`: the rooms lie in PostgreSQL. */
  readonly backups: RoomBackups | undefined;
  readonly writer: Pick<RoomWriter, 'submit'>;
}

/** The reader's rights are checked again after this many bytes. */
const CHECK_EVERY_BYTES = 2 ** 20;

const IN_POSTGRES = refuse(
  'not_supported',
  'the rooms lie in PostgreSQL: back it up with pg_dump, and the directory of --files-dir, if there is one, beside it',
);

/** `/api/backup`: the whole server as a tar archive; with `key=true` also the key that decrypts its secrets. */
export function backupPaths(parts: BackupRouteParts): Paths {
  return { '/api/backup': { POST: admit(parts.guard, { scope: 'admin' }, writeBackup(parts)) } };
}

const querySchema = v.strictObject({
  key: v.optional(v.picklist(['true', 'false'], 'must be true or false'), 'false'),
});

function writeBackup({ backups, writer }: BackupRouteParts): CallerHandler {
  return async (c, caller) => {
    const denied = requireAdmin(caller);
    if (denied) return answerRefusal(c, denied);
    if (!backups) return answerRefusal(c, IN_POSTGRES);
    const query = readQuery(c, querySchema);
    if (!query.ok) return answerRefusal(c, query);
    const withKey = query.value.key === 'true';
    const noted = await writer.submit<null>({
      decide: ({ now }) => {
        const entry = {
          at: now,
          by: caller.user.id,
          action: 'server.backup',
          roomId: null,
          subject: withKey ? 'with key' : '',
        };
        return { ok: true, write: { audit: [entry] }, answer: () => null };
      },
    });
    if (!noted.ok && noted.code !== 'read_only') return answerRefusal(c, noted);
    const mayGoOn = async () => !(await refusedSince(c));
    return c.body(watchedStream(c, backups.write({ withKey }), mayGoOn, CHECK_EVERY_BYTES), 200, {
      'content-type': 'application/x-tar',
      'content-disposition': 'attachment; filename="rooms-backup.tar"',
      'cache-control': 'no-store',
    });
  };
}
