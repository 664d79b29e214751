import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What a mail server would get. */
export interface CapturedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it goes over the wire, without the dots that are doubled there. */
  readonly content: string;
}

const REPLIES: Readonly<Record<string, string>> = { DATA: '354 go on', QUIT: '221 bye' };

/** One conversation of a mail server that offers nothing and accepts everything. */
class Conversation {
  #from = '';
  #to: string[] = [];
  #content: string[] | undefined;
  #rest = '';
  readonly #socket: Socket;
  readonly #keep: (mail: CapturedMail) => void;

  constructor(socket: Socket, keep: (mail: CapturedMail) => void) {
    this.#socket = socket;
    this.#keep = keep;
    socket.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk));
    socket.on('error', () => socket.destroy());
    this.#say('220 localhost');
  }

  #say(reply: string): void {
    this.#socket.write(`${reply}\r\n`);
  }

  #read(chunk: string): void {
    const lines = (this.#rest + chunk).split('\r\n');
    this.#rest = lines.pop() as string;
    for (const line of lines) {
      if (this.#content) this.#readContent(line, this.#content);
      else this.#answer(line);
    }
  }

  #readContent(line: string, content: string[]): void {
    if (line !== '.') {
      content.push(line.startsWith('.') ? line.slice(1) : line);
      return;
    }
    this.#keep({ from: this.#from, to: this.#to, content: content.join('\n') });
    this.#content = undefined;
    this.#say('250 kept');
  }

  #answer(line: string): void {
    const verb = line.slice(0, 4).toUpperCase();
    const address = /<(.*?)>/.exec(line)?.[1] ?? '';
    if (verb === 'MAIL') {
      this.#from = address;
      this.#to = [];
    } else if (verb === 'RCPT') this.#to.push(address);
    else if (verb === 'DATA') this.#content = [];
    this.#say(REPLIES[verb] ?? '250 localhost');
    if (verb === 'QUIT') this.#socket.end();
  }
}

/**
 * Gives the address (`host:port`) of a mail server on this machine to `send`, and resolves with what it got: that is how
 * a message can be seen without sending it to anybody. Undefined when nothing came.
 */
export async function captureMail<T>(
  send: (address: string) => Promise<T>,
): Promise<{ readonly sent: T; readonly mail: CapturedMail | undefined }> {
  let mail: CapturedMail | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    new Conversation(socket, (got) => {
      mail = got;
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  try {
    const sent = await send(`127.0.0.1:${(server.address() as AddressInfo).port}`);
    return { sent, mail };
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** Undoes quoted-printable. */
function decodeText(text: string): string {
  return text
    .replace(/=\n/g, '')
    .replace(/(?:=[\dA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('=', ''), 'hex').toString('utf8'));
}

/** The message as people read it: the addresses, its headers, and its parts decoded. */
export function describeMail({ from, to, content }: CapturedMail): string {
  const isEncoded = /^Content-Transfer-Encoding: quoted-printable$/im.test(content);
  const envelope = [`MAIL FROM: ${from}`, ...to.map((one) => `RCPT TO: ${one}`)];
  return `${envelope.join('\n')}\n\n${isEncoded ? decodeText(content) : content}`;
}
