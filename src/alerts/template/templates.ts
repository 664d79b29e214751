import { type Clock, systemClock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { TemplateRenderer } from '../integrations/notifier.ts';
import { type CallContext, CallError } from './callable.ts';
import { dataValue } from './data-value.ts';
import { DEFAULT_TEMPLATES } from './default-templates.ts';
import { Execution } from './execution.ts';
import { FUNCTIONS } from './functions/functions.ts';
import { HtmlOutput, TextOutput } from './output.ts';
import { RouteLabelResolver } from './route-label-resolver.ts';
import { parseTemplate } from './syntax/parser.ts';
import { isEmpty, type Tree } from './syntax/syntax.ts';
import type { TemplateData } from './template-data.ts';
import { TemplateError } from './template-error.ts';

export interface TemplateFile {
  /** Its name in errors: the last part of its path. */
  readonly name: string;
  readonly text: string;
}

/** Maximum steps of a rendering (statements, iterations, calls), so that any loop ends within seconds. */
const MAX_STEPS = 10_000_000;

/** Cached parsed fields; a configuration has fewer. */
const MAX_FIELDS = 1000;

type Trees = ReadonlyMap<string, Tree>;
type Mode = 'text' | 'html';

const isFunction = (name: string): boolean => FUNCTIONS.has(name);

/** The syntax error of a field, with Go's text. Whether the called templates exist is checked only at rendering. */
export function templateFault(text: string): string | undefined {
  try {
    parseTemplate({ name: '', text }, isFunction);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** A later definition replaces an earlier one, unless it is empty. */
function addTrees(trees: Map<string, Tree>, added: Trees): void {
  for (const [name, tree] of added) if (!trees.has(name) || !isEmpty(tree.root)) trees.set(name, tree);
}

/** The default templates, parsed at first use. */
let defaults: Trees | undefined;

function parseDefaults(): Trees {
  if (!defaults) {
    const trees = new Map<string, Tree>();
    for (const file of DEFAULT_TEMPLATES) {
      addTrees(trees, parseTemplate(file, isFunction));
      trees.delete(file.name);
    }
    defaults = trees;
  }
  return defaults;
}

/** Templates in Go's language: the default ones, those of files, and the fields of a configuration. */
export class Templates implements TemplateRenderer {
  readonly #files: readonly Trees[];
  readonly #clock: Clock;
  readonly #fields = new Map<string, Trees>();
  #merged: Trees | undefined;

  private constructor(files: readonly Trees[], clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  /** Parses files in order; a later definition of a name replaces an earlier one and a default. */
  static parse(files: readonly TemplateFile[], clock: Clock = systemClock): Outcome<Templates> {
    try {
      const parsed = files.map(({ name, text }) => parseTemplate({ name, text }, isFunction));
      return accepted(new Templates(parsed, clock));
    } catch (error) {
      return refused(messageOf(error));
    }
  }

  /** Merged with the defaults at the first use: to parse those takes a tenth of a start. */
  get #trees(): Trees {
    if (!this.#merged) {
      const trees = new Map(parseDefaults());
      for (const file of this.#files) addTrees(trees, file);
      this.#merged = trees;
    }
    return this.#merged;
  }

  text(template: string, data: TemplateData): string {
    return this.#render(template, data, 'text');
  }

  html(template: string, data: TemplateData): string {
    return this.#render(template, data, 'html');
  }

  /** The templates that fields may call, sorted. */
  names(): string[] {
    return [...this.#trees.keys()].sort();
  }

  #parse(template: string): Trees {
    let trees = this.#fields.get(template);
    if (!trees) {
      trees = parseTemplate({ name: '', text: template }, isFunction);
      const [oldest] = this.#fields.keys();
      if (this.#fields.size >= MAX_FIELDS && oldest !== undefined) this.#fields.delete(oldest);
      this.#fields.set(template, trees);
    }
    return trees;
  }

  #render(template: string, data: TemplateData, mode: Mode): string {
    if (!template.includes('{{')) return this.#plain(template, mode);
    try {
      return this.#execute(template, data, mode, this.#contextOf(data, mode));
    } catch (error) {
      throw error instanceof TemplateError ? new TemplateError(error.message, { source: template }) : error;
    }
  }

  #contextOf(data: TemplateData, mode: Mode): CallContext {
    let steps = 0;
    const resolver = new RouteLabelResolver(data, (label) => this.#execute(label, data, mode, context));
    const context: CallContext = {
      spend: (count) => {
        steps += count;
        if (steps > MAX_STEPS) throw new CallError(`the template takes more than ${MAX_STEPS} steps`);
      },
      now: () => this.#clock.now(),
      routeLabel: (name) => resolver.resolve(name),
    };
    return context;
  }

  #plain(template: string, mode: Mode): string {
    if (mode === 'text') return template;
    const output = new HtmlOutput();
    output.text(template);
    return output.written;
  }

  #execute(template: string, data: TemplateData, mode: Mode, context: CallContext): string {
    const own = this.#parse(template);
    const find = (name: string): Tree | undefined => {
      const tree = own.get(name);
      return tree && !isEmpty(tree.root) ? tree : (this.#trees.get(name) ?? tree);
    };
    const root = own.get('') as Tree;
    const output = mode === 'html' ? new HtmlOutput() : new TextOutput();
    const surroundings = { functions: FUNCTIONS, context, find };
    return new Execution(root, dataValue(data), surroundings, output).run();
  }
}
