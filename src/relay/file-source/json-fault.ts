/** A syntax error in JSON, with its offset. */
export interface JsonFault {
  readonly offset: number;
  readonly message: string;
}

/** Deeper than any real flag. */
const MAX_DEPTH = 500;
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

/**
 * Finds the first syntax error of a JSON text (RFC 8259), or a duplicate name in an object. JSON.parse accepts duplicate
 * names, and does not always report the position of an error.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const scan = new Scan(text);
  return scan.value(0) ?? scan.end();
}

class Scan {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonFault | undefined {
    this.#skip(SPACE);
    const first = this.#text[this.#at];
    if (depth > MAX_DEPTH) return this.#fault('nested too deeply');
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    if (first === '"') return this.#skip(STRING) ? undefined : this.#fault('unterminated string or invalid escape');
    return this.#skip(NUMBER) || this.#skip(WORD) ? undefined : this.#unexpected('a value');
  }

  end(): JsonFault | undefined {
    this.#skip(SPACE);
    return this.#at === this.#text.length ? undefined : this.#unexpected('the end');
  }

  #object(depth: number): JsonFault | undefined {
    const names = new Set<string>();
    return this.#list('}', () => {
      const start = this.#at;
      if (!this.#skip(STRING)) return this.#unexpected('a name in double quotes');
      const name = JSON.parse(this.#text.slice(start, this.#at)) as string;
      if (names.has(name)) return { offset: start, message: `${JSON.stringify(name)} occurs twice in the same object` };
      names.add(name);
      this.#skip(SPACE);
      return this.#take(':') ? this.value(depth + 1) : this.#unexpected('":"');
    });
  }

  #array(depth: number): JsonFault | undefined {
    return this.#list(']', () => this.value(depth + 1));
  }

  #list(close: string, item: () => JsonFault | undefined): JsonFault | undefined {
    this.#at++;
    this.#skip(SPACE);
    if (this.#take(close)) return undefined;
    for (;;) {
      this.#skip(SPACE);
      const fault = item();
      if (fault) return fault;
      this.#skip(SPACE);
      if (this.#take(close)) return undefined;
      if (!this.#take(',')) return this.#unexpected(`"," or "${close}"`);
    }
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #unexpected(wanted: string): JsonFault {
    const found = this.#text[this.#at];
    return this.#fault(
      `expected ${wanted}, found ${found === undefined ? 'the end of the file' : JSON.stringify(found)}`,
    );
  }

  #fault(message: string): JsonFault {
    return { offset: this.#at, message };
  }
}
