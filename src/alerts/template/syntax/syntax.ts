import { quoteGo } from '../../domain/quote.ts';

/** A template, or a part of a file between `define` and `end`. */
export interface Tree {
  readonly name: string;
  readonly source: Source;
  readonly root: ListNode;
}

/** The source text of nodes. */
export interface Source {
  /** The name of the file; empty for a field of the configuration. */
  readonly name: string;
  readonly text: string;
}

/** The start of a node, in UTF-16 code units of its source. */
interface Placed {
  readonly at: number;
}

export interface ListNode extends Placed {
  readonly type: 'list';
  readonly nodes: StatementNode[];
}

export interface TextNode extends Placed {
  readonly type: 'text';
  readonly text: string;
}

export interface ActionNode extends Placed {
  readonly type: 'action';
  readonly pipe: PipeNode;
}

export interface BranchNode extends Placed {
  readonly type: 'if' | 'with' | 'range';
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly elseList: ListNode | undefined;
}

export interface JumpNode extends Placed {
  readonly type: 'break' | 'continue';
}

export interface TemplateNode extends Placed {
  readonly type: 'template';
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}

export type StatementNode = TextNode | ActionNode | BranchNode | JumpNode | TemplateNode;

export interface PipeNode extends Placed {
  readonly type: 'pipe';
  readonly assigns: boolean;
  readonly variables: VariableNode[];
  readonly commands: CommandNode[];
}

export interface CommandNode extends Placed {
  readonly type: 'command';
  readonly operands: OperandNode[];
}

export interface IdentifierNode extends Placed {
  readonly type: 'identifier';
  readonly name: string;
}

/** `$x.A.B`: the name with its dollar sign, and the fields. */
export interface VariableNode extends Placed {
  readonly type: 'variable';
  readonly name: string;
  readonly fields: readonly string[];
}

/** `.A.B` */
export interface FieldNode extends Placed {
  readonly type: 'field';
  readonly fields: readonly string[];
}

/** `(pipeline).A.B` */
export interface ChainNode extends Placed {
  readonly type: 'chain';
  readonly node: OperandNode;
  readonly fields: readonly string[];
}

export interface DotNode extends Placed {
  readonly type: 'dot';
}

export interface NilNode extends Placed {
  readonly type: 'nil';
}

export interface BoolNode extends Placed {
  readonly type: 'bool';
  readonly value: boolean;
}

/** A constant takes the type required by its context, among those that can hold it. */
export interface NumberNode extends Placed {
  readonly type: 'number';
  readonly text: string;
  readonly int: bigint | undefined;
  readonly float: number | undefined;
  /** The default type. Undefined for an integer beyond int. */
  readonly ideal: bigint | number | undefined;
}

export interface StringNode extends Placed {
  readonly type: 'string';
  readonly quoted: string;
  readonly text: string;
}

export type OperandNode =
  | IdentifierNode
  | VariableNode
  | FieldNode
  | ChainNode
  | DotNode
  | NilNode
  | BoolNode
  | NumberNode
  | StringNode
  | PipeNode;

export type Node = ListNode | StatementNode | CommandNode | OperandNode;

const dotted = (fields: readonly string[]) => fields.map((field) => `.${field}`).join('');

function printPipe({ variables, assigns, commands }: PipeNode): string {
  const declared = variables.map(printNode).join(', ');
  return (declared && declared + (assigns ? ' = ' : ' := ')) + commands.map(printNode).join(' | ');
}

const printOperand = (node: OperandNode) => (node.type === 'pipe' ? `(${printPipe(node)})` : printNode(node));

function printBranch({ type, pipe, list, elseList }: BranchNode): string {
  return `{{${type} ${printPipe(pipe)}}}${printNode(list)}${elseList ? `{{else}}${printNode(elseList)}` : ''}{{end}}`;
}

/** Formats a node for errors: like its source, without insignificant spaces. */
export function printNode(node: Node): string {
  switch (node.type) {
    case 'list':
      return node.nodes.map(printNode).join('');
    case 'text':
      return node.text;
    case 'action':
      return `{{${printPipe(node.pipe)}}}`;
    case 'if':
    case 'with':
    case 'range':
      return printBranch(node);
    case 'break':
    case 'continue':
      return `{{${node.type}}}`;
    case 'template':
      return `{{template ${quoteGo(node.name)}${node.pipe ? ` ${printPipe(node.pipe)}` : ''}}}`;
    case 'pipe':
      return printPipe(node);
    case 'command':
      return node.operands.map(printOperand).join(' ');
    case 'identifier':
      return node.name;
    case 'variable':
      return node.name + dotted(node.fields);
    case 'field':
      return dotted(node.fields);
    case 'chain':
      return printOperand(node.node) + dotted(node.fields);
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'bool':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return node.quoted;
  }
}

const isBlank = (node: StatementNode) => node.type === 'text' && /^\s*$/.test(node.text);

/** Whether a template contains only space: then it replaces no other. */
export const isEmpty = (root: ListNode): boolean => root.nodes.every(isBlank);
