import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Clock } from '../../../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import type { TlsOptions } from '../../../kernel/http-client/tls.ts';
import { quoteGo } from '../../domain/quote.ts';
import { describeAbort, describeSendFailure } from '../http/failure.ts';
import {
  chooseMechanism,
  isOwnMachine,
  type MailCredentials,
  offeredMechanisms,
  oneLine,
  plainToken,
} from './login.ts';
import type { Mail } from './message.ts';
import { MailTranscript } from './transcript.ts';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `host:port` as in the configuration. */
  readonly address: string;
  /** The name in EHLO. */
  readonly hello: string;
  /** TLS from the first byte. */
  readonly implicitTls: boolean;
  /** Without it STARTTLS is not used, even where it is offered. */
  readonly requireTls: boolean;
  readonly tls: TlsOptions;
}

/** Milliseconds, for steps without a nearer deadline. */
const LIMITS = { connect: 30_000, greeting: 30_000, silence: 120_000, quit: 2000 };

/** Why a message was not sent. */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** The server refuses the credentials. */
  readonly isAuthError: boolean;

  constructor(message: string, isAuthError = false) {
    super(message);
    this.isAuthError = isAuthError;
  }
}

/** One conversation with a mail server; the signal ends it at once. All methods reject with an Error that names the step. */
export class MailSession {
  readonly #connection: SMTPConnection;
  readonly #transcript: MailTranscript;
  readonly #server: MailServer;
  /** Rejects when the connection breaks or the signal is aborted. */
  readonly #broken: Promise<never>;
  #isBroken = false;

  private constructor(connection: SMTPConnection, transcript: MailTranscript, server: MailServer, signal: AbortSignal) {
    this.#connection = connection;
    this.#transcript = transcript;
    this.#server = server;
    this.#broken = new Promise((_, reject) => {
      const fail = (error: unknown) => {
        this.#isBroken = true;
        reject(error);
      };
      const abort = () => {
        fail(new MailError(describeAbort(signal.reason)));
        connection.close();
      };
      connection.on('error', fail);
      signal.addEventListener('abort', abort, { once: true });
      connection.once('end', () => signal.removeEventListener('abort', abort));
      if (signal.aborted) abort();
    });
    this.#broken.catch(() => undefined);
  }

  /** Connects, greets, and starts TLS if configured. */
  static async open(server: MailServer, signal: AbortSignal): Promise<MailSession> {
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    const socket = await openSocket(server, signal);
    const transcript = new MailTranscript();
    const connection = new Connection({
      connection: socket,
      host: server.host,
      port: server.port,
      name: server.hello,
      secure: server.implicitTls,
      secured: server.implicitTls,
      requireTLS: server.requireTls && !server.implicitTls,
      ignoreTLS: !server.requireTls,
      tls: server.tls,
      connectionTimeout: LIMITS.connect,
      greetingTimeout: LIMITS.greeting,
      socketTimeout: LIMITS.silence,
      socketCloseTimeout: 0,
      logger: transcript,
      transactionLog: true,
    });
    const session = new MailSession(connection, transcript, server, signal);
    await session.#during(
      () => session.#stepOfOpening(),
      (done) => connection.connect(done),
    );
    return session;
  }

  /** Does nothing when the server offers no login. */
  async login(readCredentials: () => Promise<MailCredentials>): Promise<void> {
    const offered = offeredMechanisms(this.#transcript.ehlo);
    if (!offered) return;
    const credentials = await readCredentials();
    const mechanism = chooseMechanism(offered, credentials);
    if (mechanism === 'PLAIN' && !this.#connection.secure && !isOwnMachine(this.#server.host)) {
      throw new MailError('PLAIN auth: unencrypted connection');
    }
    this.#connection.customAuth.set('PLAIN', async ({ sendCommand }) => {
      const { status, response } = await sendCommand(`AUTH PLAIN ${plainToken(credentials)}`);
      if (status < 200 || status > 299) throw Object.assign(new Error(response), { response });
    });
    const pass = mechanism === 'CRAM-MD5' ? credentials.secret : credentials.password;
    await this.#during(
      () => `${mechanism} auth`,
      (done) => this.#connection.login({ user: credentials.username, pass, method: mechanism }, done),
    );
  }

  /** Sends to all recipients or, when the server refuses one of them, to none. */
  async send({ from, to, content }: Mail): Promise<void> {
    const transcript = this.#transcript;
    let isUnderWay = false;
    // Read only after the server's answer to DATA.
    const body = new Readable({
      read() {
        isUnderWay = true;
        if (transcript.refusal !== undefined) return void this.destroy(new Error(transcript.refusal));
        this.push(content);
        this.push(null);
      },
    });
    try {
      await this.#during(
        () => transcript.stepOfSending(),
        (done) => this.#connection.send({ from, to: [...to] }, body, done),
      );
    } catch (error) {
      // A QUIT would become part of the message.
      if (isUnderWay) this.#connection.close();
      throw error;
    }
  }

  /** Sends QUIT without waiting long for the answer. */
  quit(clock: Clock): void {
    const connection = this.#connection;
    if (this.#isBroken || connection.destroyed) {
      connection.close();
      return;
    }
    const cancel = clock.after(LIMITS.quit, () => connection.close());
    connection.once('end', cancel);
    connection.quit();
  }

  #stepOfOpening(): string {
    const { lastCommand, ehlo } = this.#transcript;
    if (lastCommand === 'STARTTLS' && !/^\d{3}[ -]STARTTLS\b/im.test(ehlo)) {
      return `'require_tls' is true (default) but ${quoteGo(this.#server.address)} does not advertise the STARTTLS extension`;
    }
    if (lastCommand === '') return 'create SMTP client';
    return `send ${lastCommand === 'HELO' ? 'EHLO' : lastCommand} command`;
  }

  async #during(step: () => string, run: (done: (error?: Error | null) => void) => void): Promise<void> {
    const answered = new Promise<void>((resolve, reject) => {
      run((error) => (error ? reject(error) : resolve()));
    });
    answered.catch(() => undefined);
    try {
      await Promise.race([this.#broken, answered]);
    } catch (error) {
      const cause = causeOf(error);
      throw new MailError(`${step()}: ${cause}`, systemCodeOf(error) === 'EAUTH' && cause.startsWith('5'));
    }
  }
}

/** The server's text, if the server refused. */
function causeOf(error: unknown): string {
  const { response, originalCode } = error as { response?: unknown; originalCode?: unknown };
  if (typeof response === 'string') return oneLine(response);
  const code = originalCode ?? systemCodeOf(error);
  const known = describeSendFailure(Object.assign(new Error(), { code }), new AbortController().signal);
  return known.startsWith('the request') ? messageOf(error) : known;
}

function openSocket(server: MailServer, signal: AbortSignal): Promise<Socket> {
  const { host, port, implicitTls, tls } = server;
  const step = implicitTls ? 'establish TLS connection to server' : 'establish connection to server';
  return new Promise((resolve, reject) => {
    const name = tls.servername ?? (isIP(host) ? undefined : host);
    const socket = implicitTls
      ? connectTls({ ...tls, host, port, ...(name === undefined ? {} : { servername: name }) })
      : connectPlain({ host, port });
    const ready = implicitTls ? 'secureConnect' : 'connect';
    const stop = (cause: string) => {
      leave();
      socket.on('error', () => undefined);
      socket.destroy();
      reject(new MailError(`${step}: ${cause}`));
    };
    const onReady = () => {
      leave();
      resolve(socket);
    };
    const onError = (error: Error) => stop(describeSendFailure(error, signal));
    const onTimeout = () => stop('connection timed out');
    const onAbort = () => stop(describeAbort(signal.reason));
    const leave = () => {
      signal.removeEventListener('abort', onAbort);
      socket.setTimeout(0);
      socket.off('timeout', onTimeout).off('error', onError).off(ready, onReady);
    };
    socket.setTimeout(LIMITS.connect, onTimeout).on('error', onError).on(ready, onReady);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}
