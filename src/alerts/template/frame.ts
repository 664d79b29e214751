import { quoteGo } from '../domain/quote.ts';
import { type Node, printNode, type Tree } from './syntax/syntax.ts';
import { TemplateError } from './template-error.ts';
import type { GoValue } from './value.ts';

interface Variable {
  readonly name: string;
  value: GoValue;
}

/** The call of one template: its variables, where `$` is its argument, and the current node. */
export class Frame {
  readonly tree: Tree;
  /** The node that errors name. */
  node: Node;
  /** The dot is from a list or map of any values: errors then omit its type. */
  isDotAny = false;
  readonly #variables: Variable[];

  constructor(tree: Tree, data: GoValue) {
    this.tree = tree;
    this.node = tree.root;
    this.#variables = [{ name: '$', value: data }];
  }

  /** The number of variables, for `forgetSince`. */
  get known(): number {
    return this.#variables.length;
  }

  forgetSince(known: number): void {
    this.#variables.length = known;
  }

  declare(name: string, value: GoValue): void {
    this.#variables.push({ name, value });
  }

  assign(name: string, value: GoValue): void {
    this.#find(name).value = value;
  }

  /** Assigns to the variable that was declared `back` variables ago (1: last). */
  replace(back: number, value: GoValue): void {
    const variable = this.#variables[this.#variables.length - back];
    if (variable) variable.value = value;
  }

  valueOf(name: string): GoValue {
    return this.#find(name).value;
  }

  #find(name: string): Variable {
    for (let index = this.#variables.length - 1; index >= 0; index--) {
      const variable = this.#variables[index] as Variable;
      if (variable.name === name) return variable;
    }
    return this.fail(`undefined variable: ${name}`);
  }

  /** The position of its node: `name:line:column`, the column in bytes from 0. */
  location(): string {
    const { name, text } = this.tree.source;
    const lines = text.slice(0, this.node.at).split('\n');
    return `${name}:${lines.length}:${Buffer.byteLength(lines[lines.length - 1] as string)}`;
  }

  fail(reason: string): never {
    throw new TemplateError(
      `template: ${this.location()}: executing ${quoteGo(this.tree.name)} at <${printNode(this.node)}>: ${reason}`,
    );
  }
}
