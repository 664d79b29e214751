/** One `key = value` of a file. */
export interface IniEntry {
  /** As it was written. */
  readonly key: string;
  /** Undefined: the key stands alone, without `=`. */
  readonly value: string | undefined;
  /** Counted from 1. */
  readonly line: number;
}

/** One `[section]` or `[section "name"]` with its entries. A section may come several times. */
export interface IniSection {
  /** As it was written. */
  readonly title: string;
  readonly name: string | undefined;
  readonly line: number;
  readonly entries: readonly IniEntry[];
}

export interface IniFault {
  readonly line: number;
  readonly message: string;
}

export interface IniFile {
  readonly sections: readonly IniSection[];
  readonly faults: readonly IniFault[];
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', n: '\n', t: '\t' };
const HEADER = /^\[[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:"((?:[^"\\]|\\["\\])*)"[ \t]*)?\][ \t]*(?:[;#].*)?$/;
const KEY = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:(=)(.*)|(?:[;#].*)?)$/s;

/**
 * Reads the dialect of git's configuration files: `[section "name"]`, comments after `;` or `#`, quotes anywhere in a
 * value, the escapes `\\ \" \n \t`, and a `\` at the end of a line that continues in the next. After an invalid line, which
 * is a fault, reading goes on. Source: git-config(1), Syntax, as the Go package gcfg takes it.
 */
export function readIni(text: string): IniFile {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const sections: { title: string; name: string | undefined; line: number; entries: IniEntry[] }[] = [];
  const faults: IniFault[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = i + 1;
    const content = (lines[i] as string).trim();
    if (content === '' || content.startsWith(';') || content.startsWith('#')) continue;
    if (content.startsWith('[')) {
      const header = readHeader(content);
      // Entries after a broken header belong to no section, not even to the one before.
      sections.push({ title: '', name: undefined, ...header.section, line, entries: [] });
      if (header.fault !== undefined) faults.push({ line, message: header.fault });
      continue;
    }
    const key = KEY.exec(content);
    const section = sections.at(-1);
    if (!key) faults.push({ line, message: `expected "key = value" or a [Section], found ${quote(content)}` });
    else if (!section) faults.push({ line, message: `${key[1]} comes before the first [Section]` });
    else if (key[2] === undefined) section.entries.push({ key: key[1] as string, value: undefined, line });
    else {
      const value = readValue(lines, i, (lines[i] as string).indexOf('=') + 1);
      i = value.lastLine;
      if (value.fault !== undefined) faults.push({ line, message: `${key[1]}: ${value.fault}` });
      else section.entries.push({ key: key[1] as string, value: value.text, line });
    }
  }
  return { sections: sections.filter(({ title }) => title !== ''), faults };
}

interface Header {
  readonly section?: { readonly title: string; readonly name: string | undefined };
  readonly fault?: string;
}

function readHeader(content: string): Header {
  const header = HEADER.exec(content);
  if (!header) return { fault: `${quote(content)} is no section: write [Main] or [Environment "name"]` };
  const name = header[2]?.replace(/\\(.)/g, '$1');
  if (name === '') return { fault: `[${header[1]} ""]: the name is empty` };
  return { section: { title: header[1] as string, name } };
}

interface Value {
  readonly text: string;
  /** The index of its last line. */
  readonly lastLine: number;
  readonly fault?: string;
}

function readValue(lines: readonly string[], first: number, start: number): Value {
  let line = first;
  let rest = (lines[line] as string).slice(start);
  let text = '';
  /** The length that is not trimmed: up to the last character that is quoted or no space. */
  let solid = 0;
  let isQuoted = false;
  for (let i = 0; ; i++) {
    const char = rest[i];
    if (char === undefined) break;
    if (char === '"') {
      isQuoted = !isQuoted;
      solid = text.length;
    } else if (char === '\\') {
      const next = rest[++i];
      if (next === undefined && !isQuoted && line + 1 < lines.length) {
        rest = lines[++line] as string;
        i = -1;
        continue;
      }
      const escaped = ESCAPES[next ?? ''];
      if (escaped === undefined)
        return { text, lastLine: line, fault: `\\${next ?? ''} is no escape: write \\\\ for a backslash` };
      text += escaped;
      solid = text.length;
    } else if (!isQuoted && (char === ';' || char === '#')) break;
    else if (isQuoted || text !== '' || !/\s/.test(char)) {
      text += char;
      if (isQuoted || !/\s/.test(char)) solid = text.length;
    }
  }
  if (isQuoted) return { text, lastLine: line, fault: 'the closing " is missing' };
  return { text: text.slice(0, solid), lastLine: line };
}

/** Quotes only the beginning, since the line may hold a key. */
function quote(content: string): string {
  return JSON.stringify(content.length > 12 ? `${content.slice(0, 12)}…` : content);
}
