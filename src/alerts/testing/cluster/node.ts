import { PlainClient, type PlainResponse } from '../../../testing/http/client.ts';
import { type Cleanup, type ExitStatus, type RunningServer, startOpsdeck } from '../../../testing/processes.ts';
import { externalUrlOf } from './deliveries.ts';

/** An alert as posted. */
export interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
}

/** A silence as listed. */
export interface ListedSilence {
  readonly id: string;
  readonly comment: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly updatedAt: string;
  readonly status: { readonly state: 'active' | 'pending' | 'expired' };
}

const HOUR_MS = 3_600_000;

/** An alert that fires from now on, as Prometheus posts it. */
export function firing(group: string, instance = 'a'): PostedAlert {
  const now = Date.now();
  return {
    labels: { alertname: group, instance },
    startsAt: new Date(now).toISOString(),
    endsAt: new Date(now + HOUR_MS).toISOString(),
  };
}

/** The same alert, resolved; an end by this process's clock might be ahead of that of a node, and so make the alert fire on. */
export function resolved(alert: PostedAlert): PostedAlert {
  return { ...alert, endsAt: new Date(Date.parse(alert.startsAt) + 1).toISOString() };
}

/** The body of a post that creates a silence, or updates one; with another start it would replace it. */
function silenceOf(comment: string, known?: Pick<ListedSilence, 'id' | 'startsAt'>): Readonly<Record<string, unknown>> {
  return {
    startsAt: new Date().toISOString(),
    ...known,
    matchers: [{ name: 'alertname', value: 'Silenced', isRegex: false }],
    endsAt: new Date(Date.now() + HOUR_MS).toISOString(),
    createdBy: 'ann',
    comment,
  };
}

/** One alert server of a cluster: the built executable as a process, which can be started again. */
export class ClusterNode {
  readonly name: string;
  readonly #t: Cleanup;
  readonly #args: readonly string[];
  #server: RunningServer | undefined;
  #client: PlainClient | undefined;
  #isPaused = false;

  constructor(t: Cleanup, name: string, args: readonly string[]) {
    this.name = name;
    this.#t = t;
    this.#args = [...args, '--cluster.peer-name', name, '--web.external-url', externalUrlOf(name)];
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    this.#server = await startOpsdeck(this.#t, this.#args);
    this.#client = new PlainClient(this.#t, this.#server.url);
  }

  /** Ends it, by default in order. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<ExitStatus | undefined> {
    const server = this.#server;
    this.#client = undefined;
    this.resume();
    return server?.stop(signal);
  }

  kill(): Promise<ExitStatus | undefined> {
    return this.stop('SIGKILL');
  }

  pause(): void {
    this.#isPaused = true;
    process.kill(this.#server?.pid as number, 'SIGSTOP');
  }

  resume(): void {
    if (this.#isPaused) process.kill(this.#server?.pid as number, 'SIGCONT');
    this.#isPaused = false;
  }

  /** False from the beginning of a stop to the end of the next start. */
  get isRunning(): boolean {
    return this.#client !== undefined;
  }

  /** Its log. */
  get stderr(): string {
    return this.#server?.stderr() ?? '';
  }

  async get(path: string): Promise<PlainResponse> {
    return this.#send('GET', path);
  }

  async post(path: string, value: unknown): Promise<PlainResponse> {
    return this.#send('POST', path, value);
  }

  async json<T>(path: string): Promise<T> {
    return JSON.parse((await this.get(path)).body) as T;
  }

  postAlerts(alerts: readonly PostedAlert[]): Promise<PlainResponse> {
    return this.post('/api/v2/alerts', alerts);
  }

  /** Creates a silence, or updates one. */
  setSilence(comment: string, known?: Pick<ListedSilence, 'id' | 'startsAt'>): Promise<PlainResponse> {
    return this.post('/api/v2/silences', silenceOf(comment, known));
  }

  expire(id: string): Promise<PlainResponse> {
    return this.#send('DELETE', `/api/v2/silence/${id}`);
  }

  silence(id: string): Promise<ListedSilence> {
    return this.json(`/api/v2/silence/${id}`);
  }

  async silences(): Promise<ReadonlyMap<string, ListedSilence>> {
    const list = await this.json<readonly ListedSilence[]>('/api/v2/silences');
    return new Map(list.map((silence) => [silence.id, silence]));
  }

  /** A metric without labels; undefined for an unknown name. */
  async metric(name: string): Promise<number | undefined> {
    const { body } = await this.get('/metrics');
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1];
    return value === undefined ? undefined : Number(value);
  }

  async #send(method: string, path: string, value?: unknown): Promise<PlainResponse> {
    if (!this.#client) throw new Error(`${this.name} does not run`);
    if (value === undefined) return this.#client.send({ method, path });
    const headers = { 'Content-Type': 'application/json' };
    return this.#client.send({ method, path, headers, body: JSON.stringify(value) });
  }
}

/** The id in the answer to a post of a silence; undefined when it was refused. */
export function silenceIdIn({ status, body }: PlainResponse): string | undefined {
  return status === 200 ? (JSON.parse(body) as { readonly silenceID: string }).silenceID : undefined;
}
