import { type Outcome, refuse } from '../domain/refusal.ts';

/** Maximum bytes before the file: other fields and the head of its own part. */
const MAX_BEFORE_BYTES = 64 * 1024;
const FIELD = 'file';
const CRLF = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

/** A file in a form. */
export interface FormFile {
  readonly name: string;
  /** Throws if the form ends within the file. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** The boundary of a `multipart/form-data` type; `undefined`: it has none. Source: RFC 2046, section 5.1.1. */
export function boundaryOf(contentType: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  return quoted ?? plain;
}

/** Reads a form up to its field `file`, which is streamed; the rest of the form is not read. */
export async function readFormFile(chunks: AsyncIterable<Uint8Array>, boundary: string): Promise<Outcome<FormFile>> {
  const form = new FormReader(chunks, Buffer.from(`\r\n--${boundary}`));
  for (;;) {
    const head = await form.nextHead();
    if (head === 'end') return refuse('invalid_body', `the form has no field "${FIELD}"`, { path: FIELD });
    if (head === 'broken') return refuse('invalid_body', 'the body is not a complete multipart/form-data');
    const { field, fileName } = dispositionOf(head);
    if (field === FIELD) return { ok: true, value: { name: fileName ?? FIELD, chunks: form.content() } };
  }
}

/** Source: RFC 7578, section 4.2; browsers write `"` as `%22` and line ends as `%0D%0A`. */
function dispositionOf(head: string): { readonly field: string | undefined; readonly fileName: string | undefined } {
  const line = head.split('\r\n').find((text) => /^content-disposition *:/i.test(text)) ?? '';
  const parameter = (name: string) => {
    const [, quoted, plain] = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(line) ?? [];
    return quoted?.replace(/\\(["\\])/g, '$1').replace(/%(22|0D|0A)/gi, unescapeSign) ?? plain;
  };
  return { field: parameter('name'), fileName: parameter('filename') };
}

const unescapeSign = (sign: string): string => decodeURIComponent(sign);

class FormReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;
  /** Begins with a line end, as every delimiter does but the first of a form. */
  #bytes: Buffer = CRLF;
  #skipped = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, delimiter: Buffer) {
    this.#source = chunks[Symbol.asyncIterator]();
    this.#delimiter = delimiter;
  }

  /** Skips to the next part, and reads its head. */
  async nextHead(): Promise<string | 'end' | 'broken'> {
    if (!(await this.#skipPast(this.#delimiter))) return 'broken';
    while (this.#bytes.length < 2) if (!(await this.#more())) return 'broken';
    if (this.#bytes.toString('latin1', 0, 2) === '--') return 'end';
    for (;;) {
      const end = this.#bytes.indexOf(HEAD_END);
      if (end !== -1) {
        const head = this.#bytes.toString('utf8', 0, end);
        // The line end stays: an empty part's delimiter begins with it.
        this.#bytes = this.#bytes.subarray(end + CRLF.length);
        this.#skipped += end;
        return head;
      }
      if (this.#bytes.length + this.#skipped > MAX_BEFORE_BYTES || !(await this.#more())) return 'broken';
    }
  }

  /** The bytes of the part whose head was read. */
  async *content(): AsyncGenerator<Uint8Array, void> {
    const overlap = this.#delimiter.length - 1;
    // The line end left from the head is not part of the file.
    let from = CRLF.length;
    for (;;) {
      const end = this.#bytes.indexOf(this.#delimiter);
      if (end !== -1) {
        if (end > from) yield this.#bytes.subarray(from, end);
        return;
      }
      const safe = Math.max(from, this.#bytes.length - overlap);
      if (safe > from) {
        yield this.#bytes.subarray(from, safe);
        this.#bytes = this.#bytes.subarray(safe);
        from = 0;
      }
      if (!(await this.#more())) throw new Error('the form ends within the file');
    }
  }

  async #skipPast(mark: Buffer): Promise<boolean> {
    for (;;) {
      const at = this.#bytes.indexOf(mark);
      const done = at === -1 ? Math.max(0, this.#bytes.length - mark.length + 1) : at + mark.length;
      this.#skipped += done;
      this.#bytes = this.#bytes.subarray(done);
      if (at !== -1) return true;
      if (this.#skipped > MAX_BEFORE_BYTES || !(await this.#more())) return false;
    }
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done) return false;
    this.#bytes = Buffer.concat([this.#bytes, next.value]);
    return true;
  }
}
