import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, visit } from 'yaml';
import { quoteGo } from '../domain/quote.ts';
import { type Environment, Expansions } from './environment.ts';
import { MAX_DEPTH, readFirstDocument } from './yaml-document.ts';

/** One problem in a configuration file. `line` counts from 1; undefined when there is none to name. */
export interface ConfigProblem {
  readonly line: number | undefined;
  readonly message: string;
}

/** The problems of a part of a configuration file; caught within the folder. */
export class ConfigFault extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(printProblem).join('\n'));
    this.problems = problems;
  }
}

export function printProblem({ line, message }: ConfigProblem): string {
  return line === undefined ? message : `line ${line}: ${message}`;
}

/** Maximum values read through aliases, which may nest and so multiply. */
const MAX_ALIASED = 500_000;

const NOTHING = new Set(['', '~', 'null', 'Null', 'NULL']);

interface Place {
  readonly document: Document;
  /** The targets of aliases; made at the first alias. */
  targets: ReadonlyMap<Alias, Node> | undefined;
  readonly lines: LineCounter;
  /** Undefined: `$` is not special. */
  readonly expansions: Expansions | undefined;
  readonly idleLine: number | undefined;
  aliased: number;
}

interface Origin {
  readonly depth: number;
  /** Below an alias. */
  readonly isAliased: boolean;
  /** The line for nodes without one. */
  readonly line: number | undefined;
}

type Entry = readonly [name: ConfigNode, value: ConfigNode];

/**
 * A value in a YAML file, as text and with its line. It has no type of its own: the reader decides, so that `test: 2` is a
 * text where a text is expected.
 */
export class ConfigNode {
  readonly #node: Node | null;
  /** The target of an alias. */
  readonly #target: Node | null;
  readonly #place: Place;
  readonly #origin: Origin;

  private constructor(node: Node | null, place: Place, origin: Origin) {
    this.#node = node;
    this.#place = place;
    const isAliased = origin.isAliased || isAlias(node);
    this.#origin = isAliased === origin.isAliased ? origin : { ...origin, isAliased };
    this.#target = isAlias(node) ? targetOf(node, place) : node;
    if (isAlias(node) && !this.#target) throw this.fault(`unknown anchor '${node.source}' referenced`);
    if (origin.depth > MAX_DEPTH) throw this.fault('nested too deeply, or an anchor contains itself');
    if (isAliased && ++place.aliased > MAX_ALIASED) throw this.fault('document contains excessive aliasing');
  }

  /**
   * The root of the first document of a file, the only one that counts, as in Alertmanager; throws a ConfigFault for invalid
   * YAML. With an environment, `${NAME}` in a value stands for a variable and `$$` for `$`.
   */
  static parse(text: string, environment?: Environment): ConfigNode {
    const lines = new LineCounter();
    const { document, nextAt } = readFirstDocument(text, lines);
    // Later errors follow from the first.
    const [error] = document.errors;
    if (error)
      throw new ConfigFault([{ line: lines.linePos(error.pos[0]).line, message: syntaxMessage(error.message) }]);
    const expansions = environment && new Expansions(environment);
    const isIdle = nextAt !== undefined && isMoreThanMarks(text.slice(nextAt));
    const idleLine = isIdle ? lines.linePos(nextAt).line : undefined;
    const place = { document, targets: undefined, lines, expansions, aliased: 0, idleLine };
    return new ConfigNode(document.contents, place, { depth: 0, isAliased: false, line: undefined });
  }

  get line(): number | undefined {
    const range = this.#node?.range;
    return range ? this.#place.lines.linePos(range[0]).line : this.#origin.line;
  }

  /** The line of a second, non-empty document, which is ignored. */
  get idleLine(): number | undefined {
    return this.#place.idleLine;
  }

  /** Turns a text of this file back into what the file has, with `${NAME}` for variables. */
  get redact(): (text: string) => string {
    const { expansions } = this.#place;
    return (text) => expansions?.sourceOf(text) ?? text;
  }

  /** The values of the variables used so far. */
  get variables(): readonly string[] {
    return this.#place.expansions?.values ?? [];
  }

  /** An unquoted null or empty value: the field counts as absent. */
  get isNothing(): boolean {
    const node = this.#target;
    if (node === null) return true;
    if (!isScalar(node) || node.type !== 'PLAIN') return false;
    const value = String(node.value);
    return value.length <= 4 && NOTHING.has(value);
  }

  /** Whether a scalar was written without quotes. */
  get isPlain(): boolean {
    return isScalar(this.#target) && this.#target.type === 'PLAIN';
  }

  get shape(): 'nothing' | 'scalar' | 'list' | 'mapping' {
    if (this.isNothing) return 'nothing';
    return isMap(this.#target) ? 'mapping' : isSeq(this.#target) ? 'list' : 'scalar';
  }

  /** The text of a scalar; empty for null. */
  text(): string {
    const written = this.written();
    const { expansions } = this.#place;
    if (!expansions) return written;
    const expanded = expansions.expand(written);
    if ('unset' in expanded) throw this.fault(`environment variable ${expanded.unset} is not set`);
    return expanded.text;
  }

  /** The text of a scalar as written in the file, for errors: variables may be secrets. */
  written(): string {
    if (this.isNothing) return '';
    if (!isScalar(this.#target)) throw this.fault(`expected a text, found a ${this.shape}`);
    return String(this.#target.value ?? '');
  }

  items(): readonly ConfigNode[] {
    if (!isSeq(this.#target)) throw this.fault(`expected a list, found a ${this.shape}`);
    const origin = this.#below(this.line);
    return this.#target.items.map((item) => new ConfigNode(item as Node | null, this.#place, origin));
  }

  /**
   * Names and values of a mapping, in the order of the file; `<<` adds names that are not there. Names have lines too. A
   * repeated name is refused with the text of `twice`. A null has no entries.
   */
  entries(twice = (name: string) => `key ${quoteGo(name)} already set in map`): readonly Entry[] {
    const found = new Map<string, Entry>();
    const merged: ConfigNode[] = [];
    const problems: ConfigProblem[] = [];
    for (const [name, value] of this.#pairs()) {
      const word = name.written();
      if (word === '<<' && name.isPlain) merged.push(value);
      else if (found.has(word)) problems.push({ line: name.line, message: twice(word) });
      else found.set(word, [name, value]);
    }
    if (problems.length > 0) throw new ConfigFault(problems);
    for (const source of merged.flatMap((value) => (value.shape === 'list' ? value.items() : [value]))) {
      if (source.shape !== 'mapping') throw source.fault('map merge requires map or sequence of maps as the value');
      for (const [name, value] of source.entries(twice)) {
        const word = name.written();
        if (!found.has(word)) found.set(word, [name, value]);
      }
    }
    return [...found.values()];
  }

  /** The same for a mapping with known fields, whose errors have Alertmanager's texts for these. */
  fields(): readonly Entry[] {
    return this.entries((name) => `field ${name} already set in type config.plain`);
  }

  fault(message: string): ConfigFault {
    return new ConfigFault([{ line: this.line, message }]);
  }

  #pairs(): readonly Entry[] {
    if (this.isNothing) return [];
    if (!isMap(this.#target)) throw this.fault(`expected a mapping of fields, found a ${this.shape}`);
    const origin = this.#below(this.line);
    return this.#target.items.map(({ key, value }) => {
      const name = new ConfigNode(key as Node | null, this.#place, origin);
      const from = value === null ? this.#below(name.line) : origin;
      return [name, new ConfigNode(value as Node | null, this.#place, from)] as const;
    });
  }

  #below(line: number | undefined): Origin {
    return { depth: this.#origin.depth + 1, isAliased: this.#origin.isAliased, line };
  }
}

function targetOf(alias: Alias, place: Place): Node | null {
  place.targets ??= findTargets(place.document);
  return place.targets.get(alias) ?? null;
}

/** An anchor is valid from its place to the next one with its name. */
function findTargets(document: Document): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node(_, node) {
      if (!isAlias(node)) {
        if (node.anchor) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target) targets.set(node, target);
    },
  });
  return targets;
}

/** Whether there is more than comments and document markers. */
function isMoreThanMarks(text: string): boolean {
  return text.split('\n').some((line) => !/^\s*(#.*|---|\.\.\.)?\s*$/.test(line));
}

function syntaxMessage(message: string): string {
  if (message.startsWith('Maximum call stack')) return 'nested too deeply';
  return message.split('\n', 1)[0] as string;
}
