import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from '../../../testing/processes.ts';
import { FakeAutoConfig } from './auto-config.ts';
import { FakeBigSegments } from './big-segments.ts';
import { applyFault, type StreamFault, sseEvent, startStream } from './faults.ts';
import { readRequest, type UpstreamRequest } from './request.ts';

/** Flags and segments of one environment. */
export interface UpstreamData {
  readonly flags: Record<string, unknown>;
  readonly segments: Record<string, unknown>;
}

export interface FakeLaunchDarklyOptions {
  /** Accepted SDK keys; by default any key. */
  readonly sdkKeys?: readonly string[];
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly segments?: Readonly<Record<string, unknown>>;
  /** Response of `/sdk/goals/{envId}`; `[]` by default. */
  readonly goals?: unknown;
}

/** Selects the data of an SDK key and filter; by default those of every key and filter. */
export interface StreamPlace {
  readonly sdkKey?: string;
  readonly filter?: string;
}

interface Waiter {
  readonly isMet: () => boolean;
  readonly resolve: () => void;
}

interface OpenStream {
  readonly sdkKey: string;
  readonly filter: string;
  readonly response: ServerResponse;
}

const EVENT_PATHS = /^\/(bulk|diagnostic|mobile(\/events(\/bulk|\/diagnostic)?)?|events\/(bulk|diagnostic)\/[^/]+)$/;

/** Starts LaunchDarkly's hosts stream, sdk, clientsdk and events as one server on a free port. */
export async function startFakeLaunchDarkly(
  t: Cleanup,
  options: FakeLaunchDarklyOptions = {},
): Promise<FakeLaunchDarkly> {
  const fake = new FakeLaunchDarkly(options);
  await fake.listen(0);
  t.after(() => fake.stop());
  return fake;
}

/** A recording upstream that serves streams, polls, goals and events, with faults on demand. */
export class FakeLaunchDarkly {
  /** Every request, in the order of their completion. */
  readonly requests: UpstreamRequest[] = [];
  readonly autoConfig = new FakeAutoConfig();
  readonly bigSegments = new FakeBigSegments();
  readonly #options: FakeLaunchDarklyOptions;
  /** By SDK key and filter; all others have the common data. */
  readonly #data = new Map<string, UpstreamData>();
  readonly #common: UpstreamData;
  readonly #streams = new Set<OpenStream>();
  readonly #faults: StreamFault[] = [];
  #lasting: StreamFault | undefined;
  readonly #eventStatuses: number[] = [];
  #server: Server | undefined;
  #port = 0;
  #waiting: Waiter[] = [];

  constructor(options: FakeLaunchDarklyOptions = {}) {
    this.#options = options;
    this.#common = { flags: { ...options.flags }, segments: { ...options.segments } };
  }

  /** `http://127.0.0.1:port`: streamUri, baseUri, clientSideBaseUri and eventsUri in one. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** SDK keys of the open streams. */
  get streamKeys(): readonly string[] {
    return [...this.#streams].map(({ sdkKey }) => sdkKey);
  }

  /** Number of open streams, without faults. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /** Requests for `/all`, faults included. */
  get streamRequests(): readonly UpstreamRequest[] {
    return this.requests.filter(({ path }) => path === '/all');
  }

  /** POSTs of events and diagnostics. */
  get eventPosts(): readonly UpstreamRequest[] {
    return this.requests.filter(({ method, path }) => method === 'POST' && EVENT_PATHS.test(path));
  }

  /** Faults for the next stream requests, one each. */
  failNext(...lies: readonly StreamFault[]): void {
    this.#faults.push(...lies);
  }

  /** Fault for all stream requests after those of `failNext`; undefined ends it. */
  failAlways(fault: StreamFault | undefined): void {
    this.#lasting = fault;
  }

  /** Statuses for the next POSTs of events, one each; 202 otherwise. */
  answerEventsNext(...statuses: readonly number[]): void {
    this.#eventStatuses.push(...statuses);
  }

  /** Replaces the data and sends a put. */
  put(data: Partial<UpstreamData>, place: StreamPlace = {}): void {
    const whole = { flags: { ...data.flags }, segments: { ...data.segments } };
    if (place.sdkKey === undefined && place.filter === undefined) {
      this.#data.clear();
      Object.assign(this.#common, whole);
    } else {
      this.#data.set(placeName(place), whole);
    }
    this.#send(place, sseEvent('put', { path: '/', data: whole }));
  }

  /** Sets a flag or segment by its `key` and sends a patch. */
  patch(kind: 'flags' | 'segments', item: Readonly<Record<string, unknown>>, place: StreamPlace = {}): void {
    const key = String(item.key);
    this.#dataToChange(place)[kind][key] = item;
    this.#send(place, sseEvent('patch', { path: `/${kind}/${key}`, data: item }));
  }

  delete(kind: 'flags' | 'segments', key: string, version: number, place: StreamPlace = {}): void {
    delete this.#dataToChange(place)[kind][key];
    this.#send(place, sseEvent('delete', { path: `/${kind}/${key}`, version }));
  }

  /** Writes raw text to the open streams. */
  write(text: string, place: StreamPlace = {}): void {
    this.#send(place, text);
  }

  /** Cuts the open streams, or ends them properly. */
  dropStreams(how: 'cut' | 'end' = 'cut'): void {
    for (const { response } of [...this.#streams]) {
      if (how === 'end') response.end();
      else response.destroy();
    }
  }

  /** Resolves when the condition holds; checked after every request and change of streams. */
  until(isMet: (fake: FakeLaunchDarkly) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ isMet: () => isMet(this), resolve });
      this.#wake();
    });
  }

  /** Listens; after a stop, on the same port. */
  async listen(port = this.#port): Promise<void> {
    const server = createServer((incoming, response) => void this.#answer(incoming, response));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Cuts every connection and stops listening. Recorded requests are kept. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    let request: UpstreamRequest;
    try {
      request = await readRequest(incoming);
    } catch {
      // The client went away in the middle of its body.
      return;
    }
    this.requests.push(request);
    if (!response.destroyed) this.#route(request, response);
    this.#wake();
  }

  #route(request: UpstreamRequest, response: ServerResponse): void {
    const { method, path } = request;
    if (this.bigSegments.answer(request, response, () => this.#wake())) return;
    if (method === 'POST' && EVENT_PATHS.test(path)) {
      response.writeHead(this.#eventStatuses.shift() ?? 202, { date: new Date(request.at).toUTCString() }).end();
    } else if (method === 'GET' && path === '/all') this.#answerStream(request, response);
    else if (method === 'GET' && path === '/relay_auto_config') this.autoConfig.serve(response, () => this.#wake());
    else if (method === 'GET' && path === '/sdk/latest-all') this.#answerPoll(request, response);
    else if (method === 'GET' && path.startsWith('/sdk/goals/')) {
      answerJson(response, this.#options.goals ?? [], { 'cache-control': 'max-age=60' });
    } else response.writeHead(404).end();
  }

  #answerStream(request: UpstreamRequest, response: ServerResponse): void {
    const fault = this.#faults.shift() ?? this.#lasting;
    if (fault !== undefined) applyFault(fault, response);
    else if (this.#knows(request)) this.#serveStream(request, response);
    else response.writeHead(401).end();
  }

  #serveStream(request: UpstreamRequest, response: ServerResponse): void {
    const { sdkKey, filter } = placeOf(request);
    const stream = { sdkKey, filter, response };
    this.#streams.add(stream);
    response.once('close', () => {
      this.#streams.delete(stream);
      this.#wake();
    });
    startStream(response);
    response.write(sseEvent('put', { path: '/', data: this.#dataAt(stream) }));
  }

  #answerPoll(request: UpstreamRequest, response: ServerResponse): void {
    if (this.#knows(request)) answerJson(response, this.#dataAt(placeOf(request)));
    else response.writeHead(401).end();
  }

  #knows({ headers }: UpstreamRequest): boolean {
    const { sdkKeys } = this.#options;
    return headers.authorization !== undefined && (sdkKeys?.includes(headers.authorization) ?? true);
  }

  #dataAt({ sdkKey, filter }: Required<StreamPlace>): UpstreamData {
    return (
      this.#data.get(placeName({ sdkKey, filter })) ??
      (filter === '' ? undefined : this.#data.get(placeName({ filter }))) ??
      (filter === '' ? this.#data.get(placeName({ sdkKey })) : undefined) ??
      this.#common
    );
  }

  #dataToChange(place: StreamPlace): UpstreamData {
    if (place.sdkKey === undefined && place.filter === undefined) return this.#common;
    const name = placeName(place);
    const own = this.#data.get(name) ?? {
      flags: { ...this.#common.flags },
      segments: { ...this.#common.segments },
    };
    this.#data.set(name, own);
    return own;
  }

  #send({ sdkKey, filter }: StreamPlace, text: string): void {
    for (const stream of this.#streams) {
      if (sdkKey !== undefined && stream.sdkKey !== sdkKey) continue;
      // A key without filter selects its unfiltered stream; neither selects all streams.
      if (filter !== undefined ? stream.filter !== filter : sdkKey !== undefined && stream.filter !== '') continue;
      stream.response.write(text);
    }
  }

  #wake(): void {
    const still: Waiter[] = [];
    for (const waiter of this.#waiting) {
      if (waiter.isMet()) waiter.resolve();
      else still.push(waiter);
    }
    this.#waiting = still;
  }
}

function placeName({ sdkKey = '', filter = '' }: StreamPlace): string {
  return JSON.stringify([sdkKey, filter]);
}

function placeOf({ headers, query }: UpstreamRequest): Required<StreamPlace> {
  return { sdkKey: headers.authorization ?? '', filter: query.get('filter') ?? '' };
}

function answerJson(response: ServerResponse, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
