import { messageOf } from '../../kernel/errors.ts';
import type { HttpHandler } from '../../kernel/http/app.ts';
import type { Log } from '../../kernel/log.ts';
import { readMarkerDocument, selectMarkers } from '../contract/markers.ts';
import type { MarkerStore } from '../marker-store/marker-store.ts';
import { answerJson, readJsonBody, refuse } from './answers.ts';

export interface MarkerRoutes {
  readonly store: Pick<MarkerStore, 'read' | 'replace'>;
  readonly now: () => number;
  readonly log: Log;
}

/** GET /api/markers: all, or those of one user and of everybody. */
export function readMarkers({ store }: MarkerRoutes): HttpHandler {
  return async (c) => {
    const { document, etag } = await store.read();
    const user = c.req.query('user');
    // Whoever has seen a part cannot replace the whole: the tag of a part is another.
    const isPart = user !== undefined && user !== '' && user !== 'all';
    const tag = isPart ? `"${etag.slice(1, -1)}-${encodeURIComponent(user)}"` : etag;
    const headers = { etag: tag, 'cache-control': 'no-cache' };
    if (tagsOf(c.req.header('if-none-match')).includes(tag)) return c.body(null, 304, headers);
    return answerJson(c, isPart ? selectMarkers(document, user) : document, 200, headers);
  };
}

/** PUT /api/markers: replaces the store; with If-Match only what the client has seen. Answered when it is on disk. */
export function putMarkers({ store, now, log }: MarkerRoutes): HttpHandler {
  return async (c) => {
    const body = await readJsonBody(c);
    if (!body.ok) return body.response;
    const document = readMarkerDocument(body.value, now());
    if (!document.ok) return refuse(c, 400, { error: document.reason, code: 'invalid_markers' });
    const expected = c.req.header('if-match');
    try {
      const { ok, snapshot } = await store.replace(
        document.value,
        expected === undefined ? undefined : tagsOf(expected),
      );
      // Who was too late is handed what there is, to merge with.
      return answerJson(c, snapshot.document, ok ? 200 : 412, { etag: snapshot.etag });
    } catch (error) {
      log.error('the markers could not be written', { err: messageOf(error) });
      return refuse(c, 500, {
        error: 'the markers could not be written; the file is as it was before',
        code: 'write_failed',
        hint: 'See the log of the server: the disk may be full, or the folder read-only.',
      });
    }
  };
}

function tagsOf(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}
