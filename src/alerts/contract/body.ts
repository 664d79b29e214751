import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';

/** The name of a body in error texts. */
export type BodyName = 'alerts' | 'silence';

export function missing(path: string): string {
  return `${path} in body is required`;
}

export function unreadable(name: BodyName, cause: string): string {
  return `parsing ${name} body from "" failed, because ${cause}`;
}

/** Reads the first JSON value of a body; text after it is ignored, as in Alertmanager. */
export function readJson(bytes: Buffer, name: BodyName): Outcome<unknown> {
  const text = bytes.toString('utf8').trim();
  if (text === '') return refused(missing(name));
  const read = parseFirstValue(text);
  if (!read.ok) return refused(unreadable(name, read.reason));
  return read.value === null ? refused(missing(name)) : read;
}

function parseFirstValue(text: string): Outcome<unknown> {
  try {
    return accepted(JSON.parse(text));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const end = /after JSON at position (\d+)/.exec(message)?.[1];
    return end === undefined ? refused(message) : parseFirstValue(text.slice(0, Number(end)));
  }
}
