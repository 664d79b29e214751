import type { WireCommand } from '../../../src/rooms/contract/command.ts';
import { EMOJI } from './emoji-names.ts';

/** A word that can be completed. */
export interface Completion {
  readonly kind: 'mention' | 'emoji' | 'command';
  /** The typed part, without its sign. */
  readonly query: string;
  /** The offset of its sign in the text. */
  readonly from: number;
}

export interface Option {
  readonly label: string;
  readonly hint: string;
  /** Replaces the typed part. */
  readonly insert: string;
}

const MAX_OPTIONS = 8;

/** The word at the caret; `undefined`: it cannot be completed. */
export function completionAt(text: string, caret: number): Completion | undefined {
  const before = text.slice(0, caret);
  const command = /^\/([a-z]*)$/i.exec(before);
  if (command) return { kind: 'command', query: (command[1] ?? '').toLowerCase(), from: 0 };
  const mention = /(?:^|[\s(,])@([\p{L}\p{N}._-]{0,63})$/u.exec(before);
  if (mention)
    return { kind: 'mention', query: (mention[1] ?? '').toLowerCase(), from: caret - (mention[1] ?? '').length - 1 };
  const emoji = /(?:^|[\s(])[:]([a-z0-9_+-]{2,32})$/.exec(before);
  if (emoji) return { kind: 'emoji', query: emoji[1] ?? '', from: caret - (emoji[1] ?? '').length - 1 };
  return undefined;
}

export interface Mentionable {
  readonly id: string;
  readonly name: string;
}

/** The options are looked up only when they are needed. */
export interface Sources {
  readonly people: () => readonly Mentionable[];
  readonly commands: () => readonly WireCommand[];
}

/** The options for what is being typed, the likeliest first. */
export function optionsFor({ kind, query }: Completion, { people, commands }: Sources): readonly Option[] {
  if (kind === 'command')
    return commands()
      .filter(({ name }) => name.startsWith(query))
      .map(({ name, hint }) => ({ label: `/${name}`, hint, insert: `/${name} ` }));
  if (kind === 'emoji')
    return rank(EMOJI, query, ([, names]) => names).map(([sign, names]) => ({
      label: sign,
      hint: names[0] ?? '',
      insert: `${sign} `,
    }));
  return rank(people(), query, ({ id, name }) => [id, ...name.toLowerCase().split(/\s+/)]).map(({ id, name }) => ({
    label: `@${id}`,
    hint: name === id ? '' : name,
    insert: `@${id} `,
  }));
}

/** Sorts matches at the beginning of a name before other matches. */
function rank<Thing>(
  things: readonly Thing[],
  query: string,
  namesOf: (thing: Thing) => readonly string[],
): readonly Thing[] {
  const first: Thing[] = [];
  const then: Thing[] = [];
  for (const thing of things) {
    const names = namesOf(thing);
    if (names.some((name) => name.startsWith(query))) first.push(thing);
    else if (query !== '' && names.some((name) => name.includes(query))) then.push(thing);
  }
  return [...first, ...then].slice(0, MAX_OPTIONS);
}

/** The text and the caret after an option was chosen. */
export function complete(
  text: string,
  caret: number,
  { from }: Completion,
  { insert }: Option,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(caret).replace(/^ /, '');
  return { text: text.slice(0, from) + insert + rest, caret: from + insert.length };
}

export function findEmoji(query: string): readonly (readonly [string, readonly string[]])[] {
  const wanted = query.trim().toLowerCase();
  return wanted === '' ? EMOJI : EMOJI.filter(([, names]) => names.some((name) => name.includes(wanted)));
}
