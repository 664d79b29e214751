import { compileReplacer } from '../../../kernel/regexp/regexp.ts';

/** What is removed from a text before it leaves the server. */
export interface RedactionRules {
  readonly secrets: boolean;
  readonly emails: boolean;
  /** Regular expressions in Go's syntax, applied per line; invalid ones are ignored. */
  readonly patterns: readonly string[];
}

const BLOCK = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,10000}?-----END [A-Z ]{0,40}PRIVATE KEY-----/g;
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9+/=._~-]{8,}/gi;
/** Keys recognised by their prefix; a star stands where a part was masked. */
const KEYS: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_*-]{6,}/g,
  /\bodr_[A-Za-z0-9]{6,}/g,
  /\bwhsec_[A-Za-z0-9+/=]{8,}/g,
  /\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{16,}/g,
  /\bglpat-[A-Za-z0-9_-]{12,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{8,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
];
const EMAIL = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g;

/** A text without keys and tokens of known forms; `also`: a known key of any form. */
export function redactSecrets(text: string, also?: string): string {
  let rest = text.replace(BLOCK, '[private key]').replace(BEARER, '$1 [secret]');
  for (const key of KEYS) rest = rest.replace(key, '[secret]');
  return also ? rest.replaceAll(also, '[secret]') : rest;
}

/** About half a second of the worst pattern. Beyond it a matching line is removed as a whole. */
const MAX_SEARCHED_CHARS = 5_000_000;

/** Compiles the rules once for all texts of a prompt. */
export function createRedaction({ secrets, emails, patterns }: RedactionRules): (text: string) => string {
  const replacers = patterns.map(compileReplacer).flatMap((compiled) => (compiled.ok ? [compiled.replacer] : []));
  const budget = { chars: MAX_SEARCHED_CHARS };
  return (text) => {
    let rest = secrets ? redactSecrets(text) : text;
    if (emails) rest = rest.replace(EMAIL, '[e-mail]');
    if (replacers.length === 0) return rest;
    const clean = (line: string) =>
      replacers.reduce<string>((left, one) => one.replace(left, '[redacted]', budget), line);
    return rest.split('\n').map(clean).join('\n');
  };
}
