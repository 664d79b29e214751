import { readFileSync, renameSync } from 'node:fs';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { writePrivateFile } from '../../kernel/storage/private-file.ts';

/** A reading position: the cursor, and the last message of each room. */
export interface ReadingPlace {
  readonly cursor: string;
  /** By room id. */
  readonly seqs: ReadonlyMap<string, number>;
}

const CURSOR = /^(0|[a-z0-9]{1,16}-\d{1,15})$/;

/** The first line is the cursor; each further one a room and the sequence number of its last message. */
export function parsePlace(text: string): ReadingPlace | undefined {
  const [cursor = '', ...lines] = text.trim().split(/\s*\n\s*/);
  if (!CURSOR.test(cursor)) return undefined;
  const seqs = new Map<string, number>();
  for (const line of lines) {
    const [, room = '', seq] = /^(\S+) (\d{1,15})$/.exec(line) ?? [];
    if (seq === undefined) return undefined;
    seqs.set(room, Number(seq));
  }
  return { cursor, seqs };
}

export function printPlace({ cursor, seqs }: ReadingPlace): string {
  return [cursor, ...[...seqs].map(([room, seq]) => `${room} ${seq}`)].map((line) => `${line}\n`).join('');
}

/** `undefined`: the file does not exist yet. */
export function readCursorFile(path: string): ReadingPlace | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw new CommandError(`cannot read ${path}: ${systemCodeOf(error) ?? messageOf(error)}`, ExitCode.usage);
  }
  if (text.trim() === '') return undefined;
  const place = parsePlace(text);
  if (place) return place;
  throw new CommandError(`${path} is not a cursor file of rooms tail; remove it to start again`, ExitCode.usage);
}

/** Atomic: a kill leaves the old position or the new one. */
export function writeCursorFile(path: string, place: ReadingPlace): void {
  const draft = `${path}.${process.pid}.new`;
  try {
    // In a shared folder another user may have put a link in its place.
    writePrivateFile(draft, printPlace(place));
    renameSync(draft, path);
  } catch (error) {
    throw new CommandError(`cannot write ${path}: ${systemCodeOf(error) ?? messageOf(error)}`);
  }
}
