import { quoteGo } from '../../domain/quote.ts';
import { readString } from '../constant.ts';
import { TemplateError } from '../template-error.ts';
import type { Token } from './lexer.ts';
import { PipelineParser } from './pipeline-parser.ts';
import {
  type ActionNode,
  type BranchNode,
  isEmpty,
  type JumpNode,
  type ListNode,
  type Source,
  type StatementNode,
  type TemplateNode,
  type Tree,
} from './syntax.ts';
import { isKeyword, openScope, TokenReader } from './token-reader.ts';

/** The end of a list of statements. */
interface ListEnd {
  readonly type: '{{end}}' | '{{else}}';
  readonly at: number;
}

/**
 * Parses the text of a file or a field: its own template, named like the source, and those that it defines.
 * Throws a TemplateError.
 */
export function parseTemplate(source: Source, isFunction: (name: string) => boolean): ReadonlyMap<string, Tree> {
  try {
    return new Parser(source, isFunction).parse();
  } catch (error) {
    if (error instanceof RangeError) throw new TemplateError(`template: ${source.name}: nested too deeply`);
    throw error;
  }
}

class Parser {
  readonly #source: Source;
  readonly #reader: TokenReader;
  readonly #pipelines: PipelineParser;
  readonly #trees = new Map<string, Tree>();

  constructor(source: Source, isFunction: (name: string) => boolean) {
    this.#source = source;
    this.#reader = new TokenReader(source);
    this.#pipelines = new PipelineParser(this.#reader, isFunction);
  }

  parse(): ReadonlyMap<string, Tree> {
    const root: ListNode = { type: 'list', at: this.#reader.peek().at, nodes: [] };
    while (this.#reader.peek().type !== 'end') {
      if (this.#isDefinition()) {
        this.#definition();
        continue;
      }
      const node = this.#statement();
      if (isListEnd(node)) this.#reader.fail(`unexpected ${node.type}`);
      root.nodes.push(node);
    }
    this.#add(root);
    return this.#trees;
  }

  #add(root: ListNode): void {
    const { name } = this.#reader.scope;
    const known = this.#trees.get(name);
    if (!known || isEmpty(known.root)) this.#trees.set(name, { name, source: this.#source, root });
    else if (!isEmpty(root)) this.#reader.fail(`template: multiple definition of template ${quoteGo(name)}`);
  }

  #isDefinition(): boolean {
    const start = this.#reader.taken;
    const found = this.#reader.next().type === 'left' && isKeyword(this.#reader.nextWord(), 'define');
    if (!found) this.#reader.returnTo(start);
    return found;
  }

  /** Parses the contents of a `define` or `block`. */
  #body(name: string, context: string): void {
    const outer = this.#reader.scope;
    const { line } = this.#reader;
    this.#reader.scope = openScope(name);
    const [root, end] = this.#list();
    if (end.type !== '{{end}}') {
      this.#reader.fail(`unexpected ${end.type} in ${context}`, context === 'block clause' ? line : undefined);
    }
    this.#add(root);
    this.#reader.scope = outer;
  }

  #definition(): void {
    const context = 'define clause';
    const outer = this.#reader.scope;
    this.#reader.scope = openScope(this.#source.name);
    const name = this.#templateName(this.#reader.nextWord(), context);
    this.#reader.expectRight(context);
    this.#body(name, context);
    this.#reader.scope = outer;
  }

  #templateName(token: Token, context: string): string {
    if (token.type !== 'string' && token.type !== 'raw') this.#reader.unexpected(token, context);
    return this.#reader.unwrap(readString(token.text));
  }

  #list(): [ListNode, ListEnd] {
    const list: ListNode = { type: 'list', at: this.#reader.peekWord().at, nodes: [] };
    while (this.#reader.peekWord().type !== 'end') {
      const node = this.#statement();
      if (isListEnd(node)) return [list, node];
      list.nodes.push(node);
    }
    return this.#reader.fail('unexpected EOF');
  }

  #statement(): StatementNode | ListEnd {
    const token = this.#reader.nextWord();
    if (token.type === 'text') return { type: 'text', at: token.at, text: token.text };
    if (token.type !== 'left') this.#reader.unexpected(token, 'input');
    this.#reader.scope.actionLine = token.line;
    const node = this.#action();
    this.#reader.scope.actionLine = 0;
    return node;
  }

  #action(): StatementNode | ListEnd {
    const token = this.#reader.nextWord();
    if (token.type === 'keyword') {
      switch (token.text) {
        case 'block':
          return this.#block();
        case 'break':
        case 'continue':
          return this.#jump(token.text, token.at);
        case 'else':
          return this.#else();
        case 'end':
          return { type: '{{end}}', at: this.#reader.expectRight('end').at };
        case 'if':
        case 'range':
        case 'with':
          return this.#branch(token.text);
        case 'template':
          return this.#template();
      }
    }
    this.#reader.back();
    const action: ActionNode = { type: 'action', at: token.at, pipe: this.#pipelines.parse('command') };
    return action;
  }

  #jump(type: JumpNode['type'], at: number): JumpNode {
    const token = this.#reader.nextWord();
    if (token.type !== 'right') this.#reader.unexpected(token, `{{${type}}}`);
    if (this.#reader.scope.loops === 0) this.#reader.fail(`{{${type}}} outside {{range}}`);
    return { type, at };
  }

  /** The word after `{{else if` and `{{else with` is left for the branch to read. */
  #else(): ListEnd {
    const token = this.#reader.peekWord();
    const isChained = isKeyword(token, 'if') || isKeyword(token, 'with');
    return { type: '{{else}}', at: isChained ? token.at : this.#reader.expectRight('else').at };
  }

  #branch(type: BranchNode['type']): BranchNode {
    const known = this.#reader.scope.variables.length;
    const pipe = this.#pipelines.parse(type);
    if (type === 'range') this.#reader.scope.loops++;
    const [list, end] = this.#list();
    if (type === 'range') this.#reader.scope.loops--;
    const elseList = end.type === '{{else}}' ? this.#elseList(type, end) : undefined;
    this.#reader.scope.variables.length = known;
    return { type, at: pipe.at, pipe, list, elseList };
  }

  #elseList(type: BranchNode['type'], end: ListEnd): ListNode {
    if (type !== 'range' && isKeyword(this.#reader.peek(), type)) {
      this.#reader.next();
      return { type: 'list', at: end.at, nodes: [this.#branch(type)] };
    }
    const [list, last] = this.#list();
    if (last.type !== '{{end}}') this.#reader.fail(`expected end; found ${last.type}`);
    return list;
  }

  #block(): TemplateNode {
    const context = 'block clause';
    const token = this.#reader.nextWord();
    const name = this.#templateName(token, context);
    const pipe = this.#pipelines.parse(context);
    this.#body(name, context);
    return { type: 'template', at: token.at, name, pipe };
  }

  #template(): TemplateNode {
    const context = 'template clause';
    const token = this.#reader.nextWord();
    const name = this.#templateName(token, context);
    if (this.#reader.nextWord().type === 'right') return { type: 'template', at: token.at, name, pipe: undefined };
    this.#reader.back();
    return { type: 'template', at: token.at, name, pipe: this.#pipelines.parse(context) };
  }
}

const isListEnd = (node: StatementNode | ListEnd): node is ListEnd =>
  node.type === '{{end}}' || node.type === '{{else}}';
