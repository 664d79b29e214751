const LINE = /^\/([A-Za-z][A-Za-z-]*)(\??)(?:\s+([\s\S]*))?$/;

/** A command as it was typed. */
export interface CommandLine {
  /** In small letters, without the slash. */
  readonly name: string;
  /** Whether `?` follows the name. */
  readonly isMarked: boolean;
  /** What follows the name, up to the end of the message. */
  readonly rest: string;
}

/** Whether a body is a command: `//x` is a text that begins with a slash, and `/a/path` is a path. */
export function isCommandLine(body: string): boolean {
  return LINE.test(body.trimEnd());
}

/** A body that escapes a command, without the escape. */
export function unescapeCommand(body: string): string {
  return /^\/\/[A-Za-z]/.test(body) ? body.slice(1) : body;
}

/** Reads a body for which `isCommandLine` holds. */
export function readCommandLine(body: string): CommandLine {
  const [, name = '', mark = '', rest = ''] = LINE.exec(body.trimEnd()) ?? [];
  return { name: name.toLowerCase(), isMarked: mark === '?', rest };
}

/** The known name that a mistyped one probably means. */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  return known.find((name) => Math.abs(name.length - typed.length) <= 2 && distance(name, typed) <= 2);
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
