/** The variables of a `.env` file, and its invalid lines; never their text, which may be a secret. */
export interface EnvFile {
  readonly variables: Readonly<Record<string, string>>;
  /** Numbers of the lines that are no assignment, from 1. */
  readonly badLines: readonly number[];
}

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/;

/**
 * Reads `NAME=value` lines. Values may be in single or double quotes; a `#` after a space begins a comment. Variables in
 * values are not expanded, since a secret may have a dollar sign.
 */
export function readEnvFile(text: string): EnvFile {
  const variables: Record<string, string> = Object.create(null);
  const badLines: number[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, rest] = ASSIGNMENT.exec(line) ?? [];
    const value = rest === undefined ? undefined : readValue(rest);
    if (name === undefined || value === undefined) badLines.push(index + 1);
    else variables[name] = value;
  }
  return { variables, badLines };
}

/** Undefined: a quote that is not closed, or text behind it. */
function readValue(text: string): string | undefined {
  const quoted = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(text);
  if (quoted) return quoted[2];
  if (/^["']/.test(text)) return undefined;
  return text.replace(/(^|\s+)#.*$/, '').trim();
}
