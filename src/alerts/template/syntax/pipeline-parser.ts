import { quoteGo } from '../../domain/quote.ts';
import { readCharacter, readNumber, readString } from '../constant.ts';
import type { TokenType } from './lexer.ts';
import {
  type CommandNode,
  type NumberNode,
  type OperandNode,
  type PipeNode,
  printNode,
  type VariableNode,
} from './syntax.ts';
import { isKeyword, type TokenReader } from './token-reader.ts';

/** Nested parentheses; Go allows 10,000, which would exceed the stack here. */
const MAX_DEPTH = 500;

const OPERANDS = new Set<TokenType>([
  'bool',
  'char',
  'field',
  'identifier',
  'number',
  'raw',
  'string',
  'variable',
  'open',
]);

/** Parses what is between the delimiters of an action. */
export class PipelineParser {
  readonly #reader: TokenReader;
  readonly #isFunction: (name: string) => boolean;

  constructor(reader: TokenReader, isFunction: (name: string) => boolean) {
    this.#reader = reader;
    this.#isFunction = isFunction;
  }

  /** Up to and with its end: the right delimiter, or the parenthesis. */
  parse(context: string, end: TokenType = 'right'): PipeNode {
    const { at } = this.#reader.peekWord();
    const [variables, assigns] = this.#declarations(context);
    const pipe: PipeNode = { type: 'pipe', at, assigns, variables, commands: [] };
    for (let token = this.#reader.nextWord(); token.type !== end; token = this.#reader.nextWord()) {
      const isOperand = OPERANDS.has(token.type) || isKeyword(token, '.') || isKeyword(token, 'nil');
      if (!isOperand) this.#reader.unexpected(token, context);
      this.#reader.back();
      pipe.commands.push(this.#command());
    }
    this.#checkPipeline(pipe, context);
    return pipe;
  }

  #checkPipeline({ commands }: PipeNode, context: string): void {
    if (commands.length === 0) this.#reader.fail(`missing value for ${context}`);
    const idle = commands.findIndex(
      ({ operands: [first] }, index) =>
        index > 0 && first !== undefined && ['bool', 'dot', 'nil', 'number', 'string'].includes(first.type),
    );
    if (idle > 0) this.#reader.fail(`non executable command in pipeline stage ${idle + 1}`);
  }

  /** `$x :=`, `$x =`, and in a range `$i, $e :=`. Any other variable is an operand. */
  #declarations(context: string): [VariableNode[], boolean] {
    const variables: VariableNode[] = [];
    while (this.#reader.peekWord().type === 'variable') {
      const variable = this.#reader.next();
      const after = this.#reader.taken;
      const sign = this.#reader.nextWord();
      const isComma = sign.type === 'other' && sign.text === ',';
      if (sign.type !== 'declare' && sign.type !== 'assign' && !isComma) {
        this.#reader.returnTo(after - 1);
        break;
      }
      variables.push({ type: 'variable', at: variable.at, name: variable.text, fields: [] });
      this.#reader.scope.variables.push(variable.text);
      if (!isComma) return [variables, sign.type === 'assign'];
      if (context !== 'range' || variables.length > 1) this.#reader.fail(`too many declarations in ${context}`);
      if (!['variable', 'right', 'close'].includes(this.#reader.peekWord().type)) {
        this.#reader.fail('range can only initialize variables');
      }
    }
    return [variables, false];
  }

  #command(): CommandNode {
    const command: CommandNode = { type: 'command', at: this.#reader.peekWord().at, operands: [] };
    for (;;) {
      this.#reader.peekWord();
      const operand = this.#operand();
      if (operand) command.operands.push(operand);
      const token = this.#reader.next();
      if (token.type === 'space') continue;
      if (token.type === 'right' || token.type === 'close') this.#reader.back();
      else if (token.type !== 'pipe') this.#reader.unexpected(token, 'operand');
      break;
    }
    if (command.operands.length === 0) this.#reader.fail('empty command');
    return command;
  }

  #operand(): OperandNode | undefined {
    const node = this.#term();
    const { type, at } = this.#reader.peek();
    if (!node || type !== 'field') return node;
    const fields: string[] = [];
    while (this.#reader.peek().type === 'field') fields.push(this.#reader.next().text.slice(1));
    switch (node.type) {
      case 'field':
      case 'variable':
        return { ...node, at, fields: [...node.fields, ...fields] };
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return this.#reader.fail(`unexpected . after term ${quoteGo(printNode(node))}`);
      default:
        return { type: 'chain', at, node, fields };
    }
  }

  /** Undefined if none begins here. */
  #term(): OperandNode | undefined {
    const { type, at, text } = this.#reader.nextWord();
    switch (type) {
      case 'identifier':
        if (!this.#isFunction(text)) this.#reader.fail(`function ${quoteGo(text)} not defined`);
        return { type: 'identifier', at, name: text };
      case 'keyword':
        if (text === '.') return { type: 'dot', at };
        if (text === 'nil') return { type: 'nil', at };
        break;
      case 'variable':
        if (!this.#reader.scope.variables.includes(text)) this.#reader.fail(`undefined variable ${quoteGo(text)}`);
        return { type: 'variable', at, name: text, fields: [] };
      case 'field':
        return { type: 'field', at, fields: [text.slice(1)] };
      case 'bool':
        return { type: 'bool', at, value: text === 'true' };
      case 'char':
      case 'number':
        return this.#number(at, text);
      case 'open':
        return this.#parenthesis();
      case 'string':
      case 'raw':
        return { type: 'string', at, quoted: text, text: this.#reader.unwrap(readString(text)) };
    }
    this.#reader.back();
    return undefined;
  }

  #number(at: number, text: string): NumberNode {
    return {
      type: 'number',
      at,
      text,
      ...this.#reader.unwrap(text.startsWith("'") ? readCharacter(text) : readNumber(text)),
    };
  }

  #parenthesis(): PipeNode {
    if (this.#reader.scope.parentheses >= MAX_DEPTH) this.#reader.fail('max expression depth exceeded');
    this.#reader.scope.parentheses++;
    const pipe = this.parse('parenthesized pipeline', 'close');
    this.#reader.scope.parentheses--;
    return pipe;
  }
}
