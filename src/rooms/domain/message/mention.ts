import type { Mentions, MessageFormat } from './message.ts';

const MAX_USERS = 50;
/** Not within a word, an address or a path. */
const MENTION = /(?<![\p{L}\p{N}_@./-])@([\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,63})/gu;

export const NO_MENTIONS: Mentions = { users: [], room: false, copilot: false };

/** The users and copilot that can be mentioned. */
export interface Audience {
  /** In lower case. */
  isUser(id: string): boolean;
  /** The copilot's handle (`copilotHandle`), if the room has one. */
  readonly copilot: string | undefined;
  /** The id of the user on call, whom `@oncall` mentions. */
  readonly onCall?: string | undefined;
}

/**
 * The mentions of a text: `@ana`, `@oncall`, `@all`, and `@` with the copilot's handle; not within Markdown code. The
 * first 50 users count.
 */
export function findMentions(body: string, format: MessageFormat, audience: Audience): Mentions {
  if (!body.includes('@')) return NO_MENTIONS;
  const users = new Set<string>();
  let room = false;
  let copilot = false;
  for (const name of namesIn(format === 'markdown' ? withoutCode(body) : body)) {
    if (name === 'all') room = true;
    if (name === audience.copilot) copilot = true;
    const user = name === 'oncall' ? audience.onCall : name;
    if (user !== undefined && users.size < MAX_USERS && audience.isUser(user)) users.add(user);
  }
  return { users: [...users], room, copilot };
}

/** The handle of a copilot's name: lower-case letters and digits, everything between them as one dash. */
export function copilotHandle(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}

/** Each name, with and without possible punctuation at its end. */
function* namesIn(text: string): Generator<string> {
  for (const [, found = ''] of text.matchAll(MENTION)) {
    let name = found.toLowerCase();
    yield name;
    while (/[._-]$/.test(name)) {
      name = name.slice(0, -1);
      yield name;
    }
  }
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/** A Markdown text without its fenced blocks and code spans. Source: CommonMark 0.31, sections 4.5 and 6.1. */
function withoutCode(text: string): string {
  if (!text.includes('`') && !text.includes('~~~')) return text;
  let fence: string | undefined;
  let rest = '';
  let paragraph = '';
  for (const line of text.split('\n')) {
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined;
      continue;
    }
    fence = FENCE.exec(line)?.[1];
    if (fence === undefined && line.trim() !== '') {
      paragraph += `${line}\n`;
      continue;
    }
    rest += `${withoutSpans(paragraph)}\n`;
    paragraph = '';
  }
  return rest + withoutSpans(paragraph);
}

function closes(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark.length >= fence.length && /^ {0,3}\S/.test(line) && mark === (fence[0] as string).repeat(mark.length);
}

/** A span begins and ends with the same number of backticks. */
function withoutSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)];
  const nextOfLength = new Map<number, number>();
  const closing: (number | undefined)[] = new Array(runs.length);
  for (let index = runs.length - 1; index >= 0; index--) {
    const { length } = (runs[index] as RegExpExecArray)[0];
    closing[index] = nextOfLength.get(length);
    nextOfLength.set(length, index);
  }
  let rest = '';
  let from = 0;
  for (let index = 0; index < runs.length; index++) {
    const opening = runs[index] as RegExpExecArray;
    const end = closing[index];
    if (end === undefined || paragraph[opening.index - 1] === '\\') continue;
    const close = runs[end] as RegExpExecArray;
    rest += `${paragraph.slice(from, opening.index)} `;
    from = close.index + close[0].length;
    index = end;
  }
  return rest + paragraph.slice(from);
}
