import { tokenVariable } from './users.ts';

/** Characters that a cookie's value may hold; RFC 6265, section 4.1.1. */
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/;
const NAMED_PAIR = /^([\w-]+)=(?!=*$)(.*)$/s;

/**
 * Reads a session token as pasted: the bare value, `Name=value`, or the whole `Cookie:` header of a browser. It is kept as it
 * is, but for a bare `::`, which upstream expects percent-encoded. No problem quotes it.
 */
export function readToken(raw: string, user: string, cookieName: string, problems: string[]): string | undefined {
  const value = pickValue(raw.trim().replace(/^cookie:\s*/i, ''), cookieName)?.replaceAll('::', '%3A%3A');
  if (value !== undefined && COOKIE_VALUE.test(value)) return value;
  problems.push(
    `${tokenVariable(user)}: write the value of the cookie ${cookieName}, without spaces (the token is not shown here)`,
  );
  return undefined;
}

function pickValue(text: string, cookieName: string): string | undefined {
  const parts = text
    .split(';')
    .map((part) => part.trim())
    .filter(Boolean);
  const pairs = parts.flatMap((part) => {
    const [, name, value] = NAMED_PAIR.exec(part) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  const named =
    pairs.find(({ name }) => name === cookieName) ?? pairs.find(({ name }) => /session.?token$/i.test(name));
  if (named) return named.value;
  if (parts.length > 1) return undefined;
  return pairs[0]?.value ?? parts[0];
}

/** Reads USER_TOKENS: a JSON object, or `info=…,slope=…`. */
export function readTokenList(text: string | undefined, problems: string[]): ReadonlyMap<string, string> {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return new Map();
  const entries = trimmed.startsWith('{') ? readObject(trimmed) : readList(trimmed);
  if (entries) return new Map(entries.filter(([, token]) => token !== ''));
  problems.push('USER_TOKENS: write {"info": "…", "slope": "…"} or info=…,slope=… (its text is not shown here)');
  return new Map();
}

type Entries = readonly (readonly [user: string, token: string])[];

function readObject(text: string): Entries | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const entries = Object.entries(value ?? {});
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string') ? entries : undefined;
}

function readList(text: string): Entries | undefined {
  const entries: [string, string][] = [];
  for (const item of text.split(',').filter((part) => part.trim() !== '')) {
    const at = item.indexOf('=');
    if (at < 1) return undefined;
    entries.push([item.slice(0, at).trim(), item.slice(at + 1).trim()]);
  }
  return entries;
}
