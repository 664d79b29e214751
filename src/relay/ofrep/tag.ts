import { createHash } from 'node:crypto';

/** What a bulk answer depends on besides the data. */
export interface OfrepQuestion {
  /** The environment, the kind of SDK of the credential, and where changes are told of. */
  readonly asker: readonly string[];
  /** The request's body, as it came. */
  readonly body: Uint8Array;
}

/**
 * Names a bulk answer twice: by the data and the question, and by the question and what was answered. So a provider that
 * asks again is told that nothing is new without an evaluation when the data are the same, and also when they are not but
 * its flags are.
 */
export class OfrepTag {
  readonly #question: OfrepQuestion;
  readonly #data: string;

  /** `revision` names the data of this moment. */
  constructor(question: OfrepQuestion, revision: string) {
    this.#question = question;
    this.#data = digest(question, revision);
  }

  /** The header for an answer, of which a name is enough. */
  of(answer: string): string {
    return `"${this.#data}.${digest(this.#question, answer)}"`;
  }

  /** The entity tag in an `If-None-Match` that was given for these very data. */
  matchData(header: string | undefined): string | undefined {
    return tagsIn(header).find((tag) => tag.split('.', 1)[0] === this.#data);
  }

  /** Whether an `If-None-Match` knows this answer, of whatever data it was made. */
  matchesAnswer(header: string | undefined, answer: string): boolean {
    const known = digest(this.#question, answer);
    return tagsIn(header).some((tag) => tag === '*' || tag.split('.')[1] === known);
  }
}

/** The opaque parts, without quotes; a proxy may have made a strong tag a weak one. */
function tagsIn(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').map((tag) =>
    tag
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  );
}

function digest({ asker, body }: OfrepQuestion, subject: string): string {
  const hash = createHash('sha256').update(JSON.stringify(asker)).update(body);
  // A NUL stands in no JSON.
  return hash.update(`\0${subject}`).digest('base64url').slice(0, 22);
}
