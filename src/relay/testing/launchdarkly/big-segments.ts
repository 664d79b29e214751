import type { ServerResponse } from 'node:http';
import { applyFault, type StreamFault, sseEvent, startStream } from './faults.ts';
import type { UpstreamRequest } from './request.ts';

export interface UpstreamPatch {
  /** `key.g1` */
  readonly segmentId: string;
  readonly version: string;
  readonly previousVersion: string;
  readonly included?: { readonly add?: readonly string[]; readonly remove?: readonly string[] };
  readonly excluded?: { readonly add?: readonly string[]; readonly remove?: readonly string[] };
}

/** LaunchDarkly's endpoints for big segments, with faults on demand. */
export class FakeBigSegments {
  readonly #patches: UpstreamPatch[] = [];
  readonly #streams = new Set<ServerResponse>();
  readonly #pollFaults: StreamFault[] = [];
  readonly #streamFaults: StreamFault[] = [];
  /** Maximum number of patches in the answer to a poll. */
  maxPatches = 2;

  get openStreams(): number {
    return this.#streams.size;
  }

  /** The version of the newest patch; empty without any. */
  get version(): string {
    return this.#patches.at(-1)?.version ?? '';
  }

  /** Faults for the next requests, one each. */
  failNext(kind: 'poll' | 'stream', ...faults: readonly StreamFault[]): void {
    (kind === 'poll' ? this.#pollFaults : this.#streamFaults).push(...faults);
  }

  /** Adds a patch after the newest one, and sends it over the streams. */
  change(segmentId: string, lists: Pick<UpstreamPatch, 'included' | 'excluded'>): UpstreamPatch {
    const patch = this.changeSilently(segmentId, lists);
    this.send(patch);
    return patch;
  }

  /** Adds a patch without sending it. */
  changeSilently(segmentId: string, lists: Pick<UpstreamPatch, 'included' | 'excluded'>): UpstreamPatch {
    const previousVersion = this.version;
    const version = String(this.#patches.length + 1);
    const patch = { segmentId, version, previousVersion, ...lists };
    this.#patches.push(patch);
    return patch;
  }

  /** Sends patches over the streams, whether they follow or not. */
  send(...patches: readonly UpstreamPatch[]): void {
    this.write(sseEvent('patch', patches.map(toWire)));
  }

  /** Writes raw text to the open streams. */
  write(text: string): void {
    for (const stream of this.#streams) stream.write(text);
  }

  /** Cuts the open streams, or ends them properly. */
  drop(how: 'cut' | 'end' = 'cut'): void {
    for (const stream of this.#streams) {
      if (how === 'end') stream.end();
      else stream.destroy();
    }
  }

  /** Answers a request; false if it is for another endpoint. `onClose` is called when a stream is over. */
  answer({ path, query, headers }: UpstreamRequest, response: ServerResponse, onClose: () => void): boolean {
    const isPoll = path === '/sdk/big-segments/revisions';
    if (!isPoll && path !== '/big-segments') return false;
    const fault = (isPoll ? this.#pollFaults : this.#streamFaults).shift();
    if (fault !== undefined) applyFault(fault, response);
    else if (headers.authorization === undefined) response.writeHead(401).end();
    else if (isPoll) this.#answerPoll(query.get('after') ?? '', response);
    else {
      this.#streams.add(response);
      response.once('close', () => {
        this.#streams.delete(response);
        onClose();
      });
      startStream(response);
    }
    return true;
  }

  #answerPoll(after: string, response: ServerResponse): void {
    const start = after === '' ? 0 : this.#patches.findIndex(({ version }) => version === after) + 1;
    const patches = this.#patches.slice(start, start + this.maxPatches);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(patches.map(toWire)));
  }
}

export function toWire({ included = {}, excluded = {}, ...patch }: UpstreamPatch) {
  const { add = [], remove = [] } = included;
  return {
    environmentId: 'env',
    ...patch,
    changes: { included: { add, remove }, excluded: { add: excluded.add ?? [], remove: excluded.remove ?? [] } },
  };
}
