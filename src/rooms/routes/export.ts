import type { RoomExports } from '../backup/export.ts';
import type { RoomImport } from '../backup/import/import.ts';
import { type ExportFormat, exportQuerySchema } from '../contract/export/query.ts';
import { findRoom, requireModerator } from '../domain/access.ts';
import { rulesServer } from '../domain/caller.ts';
import { refuse } from '../domain/refusal.ts';
import type { RoomState } from '../room/state.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import { watchedStream } from './answer/watched-stream.ts';
import type { Paths } from './index.ts';
import { takeChunks } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts, refusedSince } from './request/guard.ts';
import { param, readQuery } from './request/query.ts';

export interface ExportRouteParts {
  readonly guard: GuardParts;
  readonly state: RoomState;
  readonly exports: RoomExports;
  readonly imports: RoomImport;
}

const FORMS: Readonly<Record<ExportFormat, { readonly type: string; readonly ending: string }>> = {
  jsonl: { type: 'application/x-ndjson', ending: 'jsonl' },
  markdown: { type: 'text/markdown; charset=utf-8', ending: 'md' },
  html: { type: 'text/html; charset=utf-8', ending: 'html' },
};

const IMPORT_TYPES = ['application/x-ndjson', 'application/jsonl', 'application/ndjson'];

/** Export and import of rooms. */
export function exportPaths(parts: ExportRouteParts): Paths {
  return {
    '/api/room/:id/export': { GET: admit(parts.guard, { scope: 'export' }, exportRoom(parts)) },
    '/api/import': { POST: admit(parts.guard, { scope: 'admin' }, importRooms(parts)) },
  };
}

function exportRoom({ state, exports }: ExportRouteParts): CallerHandler {
  return (c, caller) => {
    const found = findRoom(state, caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const query = readQuery(c, exportQuerySchema);
    if (!query.ok) return answerRefusal(c, query);
    const { format, files } = query.value;
    if (files && format !== 'jsonl')
      return answerRefusal(
        c,
        refuse('invalid_query', 'files: only an export of the format jsonl holds files', { path: 'files' }),
      );
    const refusal = requireModerator(found.value);
    if (refusal) return answerRefusal(c, refusal);
    const { type, ending } = FORMS[format];
    const mayGoOn = async () => {
      const access = findRoom(state, caller, found.value.room.id);
      return access.ok && access.value.isModerator && !(await refusedSince(c));
    };
    return c.body(watchedStream(c, exports.write(found.value, query.value), mayGoOn), 200, {
      'content-type': type,
      'content-disposition': `attachment; filename="${found.value.room.slug}.${ending}"`,
      'cache-control': 'no-store',
      'content-security-policy': 'sandbox',
    });
  };
}

function importRooms({ imports }: ExportRouteParts): CallerHandler {
  return async (c, caller) => {
    if (!rulesServer(caller)) return answerRefusal(c, refuse('forbidden', 'only an admin of the server may import'));
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    if (!IMPORT_TYPES.includes(type))
      return answerRefusal(c, refuse('unsupported_media_type', `send an export with Content-Type: ${IMPORT_TYPES[0]}`));
    return takeChunks(c, async (chunks) =>
      answerOutcome(c, await imports.take(caller, chunks), (report) => answer(c, report)),
    );
  };
}
