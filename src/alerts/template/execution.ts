import { quoteGo } from '../domain/quote.ts';
import { type CallContext, CallError, MAX_CHARACTERS, type TemplateFunction } from './callable.ts';
import { isTrue } from './comparison.ts';
import { Evaluator } from './evaluator.ts';
import { Frame } from './frame.ts';
import type { NamedEscaper } from './html-escape/escape.ts';
import { displayValue, type Output } from './output.ts';
import { formatValue } from './printf/printf.ts';
import type { ActionNode, BranchNode, ListNode, PipeNode, TemplateNode, Tree } from './syntax/syntax.ts';
import { TemplateError } from './template-error.ts';
import { GoInt, GoList, GoMap, type GoValue } from './value.ts';

/** Nested template calls; Go allows 100,000, which would exceed the stack here. */
const MAX_DEPTH = 1000;

const UNLOCATED = 'html/template: ';

/** How a list of statements ends early. */
type Jump = 'break' | 'continue' | undefined;

/** The inputs of an execution. */
export interface Surroundings {
  readonly functions: ReadonlyMap<string, TemplateFunction>;
  readonly context: CallContext;
  find(name: string): Tree | undefined;
}

/** One rendering of a template. */
export class Execution {
  readonly #surroundings: Surroundings;
  readonly #output: Output;
  readonly #evaluator: Evaluator;
  #depth = 0;

  constructor(tree: Tree, data: GoValue, surroundings: Surroundings, output: Output) {
    this.#surroundings = surroundings;
    this.#output = output;
    const { functions, context } = surroundings;
    this.#evaluator = new Evaluator(new Frame(tree, data), functions, context);
  }

  /** Throws a TemplateError with the position. */
  run(): string {
    const { tree } = this.#frame;
    try {
      this.#walk(this.#frame.valueOf('$'), tree.root);
      return this.#output.written;
    } catch (error) {
      if (error instanceof CallError) this.#frame.fail(error.message);
      if (error instanceof RangeError) this.#frame.fail('the template nests too deeply or its text grows too long');
      throw this.#located(error);
    }
  }

  /** Adds the position to an error about the HTML. */
  #located(error: unknown): unknown {
    if (!(error instanceof TemplateError) || !error.message.startsWith(UNLOCATED)) return error;
    return new TemplateError(`html/template:${this.#frame.location()}: ${error.message.slice(UNLOCATED.length)}`);
  }

  get #frame(): Frame {
    return this.#evaluator.frame;
  }

  #walk(dot: GoValue, { nodes }: ListNode): Jump {
    for (const node of nodes) {
      this.#surroundings.context.spend(1);
      this.#frame.node = node;
      switch (node.type) {
        case 'text':
          this.#output.text(node.text);
          this.#checkLength();
          break;
        case 'action':
          this.#action(dot, node);
          break;
        case 'template':
          this.#template(dot, node);
          break;
        case 'break':
        case 'continue':
          return node.type;
        default: {
          const jump = node.type === 'range' ? this.#range(dot, node) : this.#branch(dot, node);
          if (jump) return jump;
        }
      }
    }
    return undefined;
  }

  #checkLength(): void {
    if (this.#output.written.length > MAX_CHARACTERS) {
      this.#frame.fail(`the output exceeds ${MAX_CHARACTERS} characters`);
    }
  }

  #action(dot: GoValue, node: ActionNode): void {
    const { pipe } = node;
    const value = this.#evaluator.pipeline(dot, pipe);
    if (pipe.variables.length > 0) return;
    this.#frame.node = node;
    this.#output.print(value, this.#output.isHtml ? namedEscaper(pipe) : undefined);
    this.#checkLength();
  }

  #branch(dot: GoValue, { type, pipe, list, elseList }: BranchNode): Jump {
    const frame = this.#frame;
    const { known } = frame;
    const value = this.#evaluator.pipeline(dot, pipe);
    let jump: Jump;
    if (!isTrue(value)) jump = elseList && this.#walk(dot, elseList);
    else if (type === 'with') jump = this.#walkElement(value, false, list);
    else jump = this.#walk(dot, list);
    frame.forgetSince(known);
    return jump;
  }

  #range(dot: GoValue, node: BranchNode): Jump {
    const frame = this.#frame;
    const { known } = frame;
    const value = this.#evaluator.pipeline(dot, node.pipe);
    let isEmpty = true;
    for (const [key, element] of this.#elements(value, node)) {
      isEmpty = false;
      if (this.#iterate(key, element, holdsAny(value), node) === 'break') break;
    }
    const jump = isEmpty && node.elseList ? this.#walk(dot, node.elseList) : undefined;
    frame.forgetSince(known);
    return jump;
  }

  *#elements(value: GoValue, { pipe }: BranchNode): Generator<readonly [GoValue, GoValue]> {
    if (value instanceof GoList) {
      for (let index = 0; index < value.items.length; index++) yield [BigInt(index), value.items[index]];
    } else if (value instanceof GoMap) {
      for (const key of value.sortedKeys) yield [key, value.entries.get(key)];
    } else if (typeof value === 'bigint' || value instanceof GoInt) {
      if (pipe.variables.length > 1) {
        this.#frame.fail(`can't use ${formatValue(value, 'v')} to iterate over more than one variable`);
      }
      const end = typeof value === 'bigint' ? value : value.value;
      const wrap = (count: bigint) => (value instanceof GoInt ? new GoInt(value.type, count) : count);
      for (let count = 0n; count < end; count++) yield [undefined, wrap(count)];
    } else if (value !== undefined && value !== null) {
      this.#frame.fail(`range can't iterate over ${displayValue(value)}`);
    }
  }

  #iterate(key: GoValue, element: GoValue, isAny: boolean, { pipe, list }: BranchNode): Jump {
    const { variables, assigns } = pipe;
    const frame = this.#frame;
    this.#surroundings.context.spend(1);
    const [first, second] = variables;
    if (assigns) {
      if (first) frame.assign(first.name, second ? key : element);
      if (second) frame.assign(second.name, element);
    } else {
      if (first) frame.replace(1, element);
      if (second) frame.replace(2, key);
    }
    const { known } = frame;
    const jump = this.#walkElement(element, isAny, list);
    frame.forgetSince(known);
    return jump;
  }

  #walkElement(dot: GoValue, isAny: boolean, list: ListNode): Jump {
    const frame = this.#frame;
    const was = frame.isDotAny;
    frame.isDotAny = isAny;
    const jump = this.#walk(dot, list);
    frame.isDotAny = was;
    return jump;
  }

  #template(dot: GoValue, { name, pipe }: TemplateNode): void {
    const caller = this.#frame;
    const tree = this.#surroundings.find(name) ?? this.#refuseUnknown(name);
    if (this.#depth === MAX_DEPTH) caller.fail(`exceeded maximum template depth (${MAX_DEPTH})`);
    const data = pipe && this.#evaluator.pipeline(dot, pipe);
    this.#depth++;
    this.#evaluator.frame = new Frame(tree, data);
    this.#walk(data, tree.root);
    this.#evaluator.frame = caller;
    this.#depth--;
  }

  #refuseUnknown(name: string): never {
    const frame = this.#frame;
    if (!this.#output.isHtml) frame.fail(`template ${quoteGo(name)} not defined`);
    throw new TemplateError(`html/template:${frame.location()}: no such template ${quoteGo(name)}`);
  }
}

/** Whether a list or map may hold values of any type. */
const holdsAny = (value: GoValue): boolean =>
  (value instanceof GoList || value instanceof GoMap) && value.type.endsWith('interface {}');

/** The escaper at the end of a pipeline. */
function namedEscaper({ commands }: PipeNode): NamedEscaper | undefined {
  const first = commands[commands.length - 1]?.operands[0];
  if (first?.type !== 'identifier') return undefined;
  return first.name === 'html' || first.name === 'urlquery' ? first.name : undefined;
}
