import { createHmac } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { emailIntegration } from '../integrations/email/email.ts';
import type { Delivery } from '../integrations/notifier.ts';
import { notifyOnce } from './integration.ts';

/** For localhost and 127.0.0.1, signed by itself, valid from 2020 to 2119. It protects nothing. */
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBaDCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjExOTAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAMPQfMYFooDXaEW
G/j7TB1jE8+hkCZ/9g6jvcuw2kOgaGM24NndueaZ+agDOPVD2wA9jc6aG6v8p7Sd
wuCDMWajTjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8E
BTADAQH/MB0GA1UdDgQWBBQaC/L34d2wLmkwIHmKSe3rJctSHTAKBggqhkjOPQQD
AgNJADBGAiEAwZIJ0Le0/+Pc1jeIJOOXHRbPYOENO49c1qjgQPZJdPoCIQD3r5Xi
VVHx8dIPc3gUqqlAa5DRfTxoPqgYZ20BZZq1hQ==
-----END CERTIFICATE-----
`;

const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgY8tsaTVj48+K6z3c
65b6c/P94HtrehIA+AcRhXLbG5ihRANCAAQDD0HzGBaKA12hFhv4+0wdYxPPoZAm
f/YOo73LsNpDoGhjNuDZ3bnmmfmoAzj1Q9sAPY3Omhur/Ke0ncLggzFm
-----END PRIVATE KEY-----
`;

const TLS = { cert: TEST_CERTIFICATE, key: TEST_KEY };

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, with dots and line ends as they were written. */
  readonly content: string;
  readonly isEncrypted: boolean;
  /** `PLAIN ops` or, with an identity to act as, `PLAIN ops as team`. */
  readonly login: string | undefined;
}

type Reply = string | undefined;

export interface SmtpSinkOptions {
  /** What EHLO is answered with, a line each; `STARTTLS` is left out on an encrypted connection. */
  readonly offers?: readonly string[];
  readonly implicitTls?: boolean;
  /** The accepted logins. */
  readonly user?: { readonly name: string; readonly password: string };
  /**
   * Answers in place of the sink: a reply, `hang` for none at all, `reset` for a cut connection; undefined leaves it to the
   * sink. It is called for each command, and for `GREETING` and, at the end of a message, `MESSAGE`, with its content.
   */
  readonly script?: (command: string, message: string) => Reply | Promise<Reply>;
}

export interface SmtpSink {
  readonly port: number;
  /** The commands of all connections, line by line, without the content of messages. */
  readonly commands: readonly string[];
  readonly mails: readonly ReceivedMail[];
  /** Resolves as soon as exactly this many connections are open. */
  openConnections(count: number): Promise<void>;
  /** Reads no more from the connections that are open. */
  pause(): void;
  resume(): void;
}

/** A mail server on a free port of 127.0.0.1 that records mails and answers as configured. */
export async function startSmtpSink(
  t: { after(end: () => Promise<void>): void },
  options: SmtpSinkOptions = {},
): Promise<SmtpSink> {
  const commands: string[] = [];
  const mails: ReceivedMail[] = [];
  const sockets = new Map<Socket, Conversation>();
  const watchers = new Set<() => void>();
  const onChange = () => {
    for (const watch of watchers) watch();
  };
  const accept = (socket: Socket) => {
    const conversation = new Conversation(socket, options, commands, mails);
    sockets.set(socket, conversation);
    socket.on('close', () => {
      sockets.delete(socket);
      onChange();
    });
    onChange();
    conversation.start();
  };
  const server = options.implicitTls ? createTlsServer(TLS, accept) : createServer(accept);
  // A client that does not trust the certificate ends the handshake.
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of sockets.keys()) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const openConnections = (count: number) =>
    new Promise<void>((resolve) => {
      const watch = () => {
        if (sockets.size !== count) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
    });
  return {
    ...{ port, commands, mails, openConnections },
    pause() {
      for (const conversation of sockets.values()) conversation.socket.pause();
    },
    resume() {
      for (const conversation of sockets.values()) conversation.socket.resume();
    },
  };
}

/** An e-mail configuration for a local port, by default without TLS; `more` are further fields. */
export function emailYaml(
  port: number,
  more = '',
  base = 'from: alerts@example.org, to: ops@example.org, require_tls: false',
): string {
  return `{smarthost: "127.0.0.1:${port}", ${base}${more === '' ? '' : `, ${more}`}}`;
}

/** Sends a notification to a new sink, and waits until the connection is gone. */
export async function sendToSmtpSink(
  t: Parameters<typeof startSmtpSink>[0],
  options: SmtpSinkOptions,
  more?: string,
  base?: string,
): Promise<{ readonly sink: SmtpSink; readonly delivery: Delivery }> {
  const sink = await startSmtpSink(t, options);
  const delivery = await notifyOnce(emailIntegration, emailYaml(sink.port, more, base));
  await sink.openConnections(0);
  return { sink, delivery };
}

const CHALLENGE = '<1.2@sink.example.org>';

class Conversation {
  #socket: Socket;
  readonly #options: SmtpSinkOptions;
  readonly #commands: string[];
  readonly #mails: ReceivedMail[];
  #rest = '';
  #from = '';
  #to: string[] = [];
  #login: string | undefined;
  /** Takes lines that are not commands; undefined otherwise. */
  #reader: ((line: string) => void) | undefined;

  constructor(socket: Socket, options: SmtpSinkOptions, commands: string[], mails: ReceivedMail[]) {
    this.#socket = socket;
    this.#options = options;
    this.#commands = commands;
    this.#mails = mails;
  }

  get socket(): Socket {
    return this.#socket;
  }

  start(): void {
    this.#listen();
    this.#answer('GREETING', () => this.#write('220 sink.example.org ESMTP'));
  }

  #listen(): void {
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (chunk: Buffer) => {
      const lines = (this.#rest + chunk.toString('latin1')).split('\r\n');
      this.#rest = lines.pop() as string;
      for (const line of lines) {
        if (this.#reader) this.#reader(line);
        else this.#onCommand(line);
      }
    });
  }

  #write(reply: string): void {
    if (!this.#socket.destroyed) this.#socket.write(`${reply}\r\n`);
  }

  #answer(command: string, otherwise: () => void, message = ''): void {
    const reply = this.#options.script?.(command, message);
    if (reply instanceof Promise) void reply.then((late) => this.#reply(late, otherwise));
    else this.#reply(reply, otherwise);
  }

  #reply(reply: Reply, otherwise: () => void): void {
    if (reply === undefined) otherwise();
    else if (reply === 'reset') this.#socket.destroy();
    else if (reply !== 'hang') this.#write(reply);
  }

  #onCommand(line: string): void {
    this.#commands.push(line);
    this.#answer(line, () => this.#obey(line));
  }

  #obey(line: string): void {
    const [verb, ...words] = line.split(' ') as [string, ...string[]];
    const path = /<(.*)>/.exec(line)?.[1] ?? '';
    const actions: Readonly<Record<string, () => void>> = {
      EHLO: () => this.#hello(),
      STARTTLS: () => this.#encrypt(),
      AUTH: () => this.#authenticate(words),
      MAIL: () => {
        this.#from = path;
        this.#to = [];
        this.#write('250 2.1.0 sender fine');
      },
      RCPT: () => {
        this.#to.push(path);
        this.#write('250 2.1.5 recipient fine');
      },
      DATA: () => this.#takeMessage(),
      QUIT: () => {
        this.#write('221 2.0.0 bye');
        this.#socket.end();
      },
    };
    const act = actions[verb];
    if (act) act();
    else this.#write('502 5.5.1 unknown command');
  }

  #hello(): void {
    const offers = (this.#options.offers ?? []).filter((offer) => !(offer === 'STARTTLS' && this.#isEncrypted()));
    const lines = ['sink.example.org', ...offers];
    this.#write(lines.map((line, i) => `250${i < lines.length - 1 ? '-' : ' '}${line}`).join('\r\n'));
  }

  #isEncrypted(): boolean {
    return this.#socket instanceof TLSSocket;
  }

  #encrypt(): void {
    if (!this.#options.offers?.includes('STARTTLS')) {
      this.#write('502 5.5.1 unknown command');
      return;
    }
    this.#write('220 2.0.0 go ahead');
    this.#socket.removeAllListeners('data');
    this.#socket = new TLSSocket(this.#socket, { isServer: true, ...TLS });
    this.#listen();
  }

  #authenticate([mechanism = '', initial = '']: readonly string[]): void {
    if (mechanism === 'PLAIN') {
      const [identity, name, password] = decode(initial).split('\0');
      this.#checkLogin(`PLAIN ${name}${identity ? ` as ${identity}` : ''}`, name, password);
    } else if (mechanism === 'LOGIN') {
      this.#ask('Username:', (name) =>
        this.#ask('Password:', (password) => this.#checkLogin(`LOGIN ${name}`, name, password)),
      );
    } else if (mechanism === 'CRAM-MD5') {
      this.#ask(CHALLENGE, (response) => {
        const [name, digest] = response.split(' ');
        const { password = '' } = this.#options.user ?? {};
        const expected = createHmac('md5', password).update(CHALLENGE).digest('hex');
        this.#checkLogin(`CRAM-MD5 ${name}`, name, digest === expected ? password : undefined);
      });
    } else this.#write('504 5.5.4 unknown mechanism');
  }

  #ask(question: string, then: (reply: string) => void): void {
    this.#write(`334 ${Buffer.from(question).toString('base64')}`);
    this.#reader = (line) => {
      this.#reader = undefined;
      this.#commands.push(line);
      then(decode(line));
    };
  }

  #checkLogin(login: string, name: string | undefined, password: string | undefined): void {
    const { user } = this.#options;
    const isRight = user !== undefined && name === user.name && password === user.password;
    if (isRight) this.#login = login;
    this.#write(isRight ? '235 2.7.0 welcome' : '535 5.7.8 credentials invalid');
  }

  #takeMessage(): void {
    if (this.#to.length === 0) {
      this.#write('503 5.5.1 no recipient');
      return;
    }
    this.#write('354 end with a dot');
    const lines: string[] = [];
    this.#reader = (line) => {
      if (line !== '.') {
        lines.push(line.startsWith('.') ? line.slice(1) : line);
        return;
      }
      this.#reader = undefined;
      const content = lines.join('\r\n');
      const accept = () => {
        const [from, to, login, isEncrypted] = [this.#from, this.#to, this.#login, this.#isEncrypted()];
        this.#mails.push({ from, to, content, isEncrypted, login });
        this.#write('250 2.0.0 taken');
      };
      this.#answer('MESSAGE', accept, content);
    };
  }
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
