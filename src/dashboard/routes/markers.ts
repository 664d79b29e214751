import { messageOf } from '../../kernel/errors.ts';
import type { HttpHandler } from '../../kernel/http/app.ts';
import type { Log } from '../../kernel/log.ts';
import { readMarkerDocument, selectMarkers } from '../contract/markers.ts';
import type { MarkerStore } from '../marker-store/marker-store.ts';
import { answerJson, readJsonBody, refuse } from './answers.ts';
import type { Paths } from './index.ts';

export interface MarkerRouteParts {
  readonly store: Pick<MarkerStore, 'read' | 'replace'>;
  readonly now: () => number;
  readonly log: Log;
}

export function markerPaths(parts: MarkerRouteParts): Paths {
  return { '/api/markers': { GET: readMarkers(parts), PUT: putMarkers(parts) } };
}

/** All markers, or with `user` that user's and those of `all`. */
function readMarkers({ store }: MarkerRouteParts): HttpHandler {
  return async (c) => {
    const { document, etag } = await store.read();
    const user = c.req.query('user');
    // A part has another tag: it cannot be used to replace the whole.
    const isPart = user !== undefined && user !== '' && user !== 'all';
    const tag = isPart ? `"${etag.slice(1, -1)}-${encodeURIComponent(user)}"` : etag;
    const headers = { etag: tag, 'cache-control': 'no-cache' };
    if (tagsOf(c.req.header('if-none-match')).includes(tag)) return c.body(null, 304, headers);
    return answerJson(c, isPart ? selectMarkers(document, user) : document, 200, headers);
  };
}

/** Replaces the document; with If-Match only the version that the client has seen. Answers once it is on disk. */
function putMarkers({ store, now, log }: MarkerRouteParts): HttpHandler {
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
      // A client with an old version gets the current one, to merge with.
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
