import { createHash } from 'node:crypto';

/** The inputs of a bulk response besides the data. */
export interface OfrepTagInputs {
  /** The name of the change stream and the kind of SDK. */
  readonly caller: readonly string[];
  /** The request's body, as received. */
  readonly body: Uint8Array;
}

/**
 * The entity tag of a bulk response: one digest of data and inputs, one of response and inputs. The first finds an unchanged
 * response without evaluation; the second if the data has changed, but the response has not.
 */
export class OfrepTag {
  readonly #inputs: OfrepTagInputs;
  readonly #data: string;

  /** `revision`: that of the data. */
  constructor(inputs: OfrepTagInputs, revision: string) {
    this.#inputs = inputs;
    this.#data = digest(inputs, revision);
  }

  /** The header for a response, given as a digest or in full. */
  of(answer: string): string {
    return `"${this.#data}.${digest(this.#inputs, answer)}"`;
  }

  /** The entity tag in an `If-None-Match` that belongs to the current data. */
  matchData(header: string | undefined): string | undefined {
    return tagsIn(header).find((tag) => tag.split('.', 1)[0] === this.#data);
  }

  /** Whether an `If-None-Match` contains this response, for any data. */
  matchesAnswer(header: string | undefined, answer: string): boolean {
    const known = digest(this.#inputs, answer);
    return tagsIn(header).some((tag) => tag === '*' || tag.split('.')[1] === known);
  }
}

/** The opaque parts, without quotes; a proxy may have weakened a tag. */
function tagsIn(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').map((tag) =>
    tag
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  );
}

function digest({ caller, body }: OfrepTagInputs, subject: string): string {
  const hash = createHash('sha256').update(JSON.stringify(caller)).update(body);
  // JSON contains no NUL.
  return hash.update(`\0${subject}`).digest('base64url').slice(0, 22);
}
