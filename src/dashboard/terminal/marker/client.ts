import ky, { type KyInstance } from 'ky';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import { awaitStart } from '../../../kernel/terminal/starting-server.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { type MarkerDocument, readMarkerDocument } from '../../contract/markers.ts';
import type { MarkerOrigin } from './origin.ts';

const TIMEOUT_MS = 15_000;
const MAX_TEXT = 300;
/** Maximum attempts when others write at the same time. */
const MAX_ATTEMPTS = 8;

/** The markers of a running dashboard. Throws a CommandError: exit code 3 when it is not reachable. */
export class MarkerClient implements MarkerOrigin {
  readonly place: string;
  readonly #terminal: Pick<Terminal, 'clock' | 'startWaitMs'>;
  readonly #http: KyInstance;

  constructor(url: string, terminal: Pick<Terminal, 'clock' | 'startWaitMs'>) {
    this.place = url;
    this.#terminal = terminal;
    this.#http = ky.create({ prefix: url, retry: 0, timeout: false, throwHttpErrors: false });
  }

  /** Whether a dashboard answers at the URL. */
  async isThere(): Promise<boolean> {
    try {
      const health = JSON.parse((await this.#send('GET', 'health')).body) as unknown;
      return typeof health === 'object' && health !== null && 'ok' in health && 'users' in health;
    } catch {
      return false;
    }
  }

  async read(): Promise<MarkerDocument> {
    const answer = await this.#send('GET', 'api/markers');
    return this.#document(this.#accept(answer).body);
  }

  /** After a concurrent write the change is decided anew on the current document. */
  async update(change: (document: MarkerDocument) => MarkerDocument): Promise<MarkerDocument> {
    let answer = this.#accept(await this.#send('GET', 'api/markers'));
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const body = JSON.stringify(change(this.#document(answer.body)));
      answer = await this.#send('PUT', 'api/markers', body, answer.etag);
      if (answer.status !== 412) return this.#document(this.#accept(answer).body);
    }
    throw new CommandError(`others keep changing the markers of ${this.place}; try again`, ExitCode.conflict);
  }

  #document(body: string): MarkerDocument {
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {}
    const document = readMarkerDocument(value, this.#terminal.clock.now());
    if (document.ok) return document.value;
    throw new CommandError(`${this.place} did not answer with markers; is it a dashboard?`);
  }

  #accept(answer: Answer): Answer {
    if (answer.status === 200) return answer;
    const text = printable(answer.body.trim().slice(0, MAX_TEXT));
    const code = answer.status === 403 ? ExitCode.denied : ExitCode.failed;
    throw new CommandError(`${this.place} answered ${answer.status}${text && `: ${text}`}`, code);
  }

  async #send(method: string, path: string, body?: string, etag?: string): Promise<Answer> {
    const deadline = new AbortController();
    const cancel = this.#terminal.clock.after(TIMEOUT_MS, () => deadline.abort());
    try {
      const headers = {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(etag ? { 'if-match': etag } : {}),
      };
      const request = { method, headers, signal: deadline.signal, ...(body ? { body } : {}) };
      const response = await awaitStart(this.place, this.#terminal, () => this.#http(path, request));
      return { status: response.status, body: await response.text(), etag: response.headers.get('etag') ?? undefined };
    } catch (error) {
      const trouble = deadline.signal.aborted ? `no answer within ${TIMEOUT_MS / 1000}s` : reasonOf(error);
      const hint = 'Does it run? --url names another, --folder works on the file';
      throw new CommandError(`cannot reach ${this.place}: ${trouble}. ${hint}`, ExitCode.unreachable);
    } finally {
      cancel();
    }
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly etag: string | undefined;
}

function reasonOf(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  const code = systemCodeOf(deepest);
  return code === 'ECONNREFUSED' ? 'the connection was refused' : printable(messageOf(deepest) || code || 'trouble');
}
