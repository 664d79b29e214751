import type { Outcome } from '../../kernel/outcome.ts';
import {
  type CallContext,
  CallError,
  MAX_CHARACTERS,
  type ParameterType,
  type Signature,
  type TemplateFunction,
} from './callable.ts';
import { isTrue } from './comparison.ts';
import type { Frame } from './frame.ts';
import { methodOf } from './methods.ts';
import { canBeNil, fit, intOf, isIntType, nilOf } from './parameter.ts';
import {
  type ChainNode,
  type CommandNode,
  type FieldNode,
  type IdentifierNode,
  type Node,
  type NumberNode,
  type OperandNode,
  type PipeNode,
  printNode,
  type VariableNode,
} from './syntax/syntax.ts';
import { TemplateError } from './template-error.ts';
import { GoMap, GoPointer, GoStruct, type GoValue, typeNameOf } from './value.ts';
import { weigh } from './weight.ts';

/** What a pipeline hands to its next command; nothing at the first. */
type Final = GoValue | typeof MISSING;
const MISSING = Symbol('missing');

/** A call as it is written: the node that errors cite, the name, the arguments and what the pipeline adds to them. */
interface Call {
  readonly node: Node;
  readonly name: string;
  readonly args: readonly OperandNode[];
  readonly final: Final;
}

/** Evaluates pipelines in the frame of the template at work, in the way and with the error texts of Go. */
export class Evaluator {
  frame: Frame;
  readonly #functions: ReadonlyMap<string, TemplateFunction>;
  readonly #context: CallContext;

  constructor(frame: Frame, functions: ReadonlyMap<string, TemplateFunction>, context: CallContext) {
    this.frame = frame;
    this.#functions = functions;
    this.#context = context;
  }

  /** The value of a pipeline; the variables that it declares stay. */
  pipeline(dot: GoValue, pipe: PipeNode): GoValue {
    this.frame.node = pipe;
    let final: Final = MISSING;
    for (const command of pipe.commands) final = this.#command(dot, command, final) ?? undefined;
    const value = final as GoValue;
    for (const { name } of pipe.variables) {
      if (pipe.assigns) this.frame.assign(name, value);
      else this.frame.declare(name, value);
    }
    return value;
  }

  #fit(value: GoValue, type: ParameterType | undefined): GoValue {
    if (type === undefined) return value;
    const outcome: Outcome<GoValue> = fit(value, type);
    return outcome.ok ? outcome.value : this.frame.fail(outcome.reason);
  }

  #command(dot: GoValue, { operands }: CommandNode, final: Final): GoValue {
    const [first, ...args] = operands as [OperandNode, ...OperandNode[]];
    switch (first.type) {
      case 'field':
        return this.#fieldNode(dot, first, args, final);
      case 'chain':
        return this.#chain(dot, first, args, final);
      case 'identifier':
        return this.#function(dot, first, { type: 'command', at: first.at, operands }, args, final);
      case 'pipe':
        this.#refuseArguments(first, args, final);
        return this.pipeline(dot, first);
      case 'variable':
        return this.#variable(dot, first, args, final);
    }
    this.frame.node = first;
    this.#refuseArguments(first, args, final);
    return first.type === 'nil' ? this.frame.fail('nil is not a command') : this.#constant(dot, first);
  }

  #refuseArguments(first: OperandNode, args: readonly OperandNode[], final: Final): void {
    if (args.length > 0 || final !== MISSING) {
      this.frame.fail(`can't give argument to non-function ${printNode(first)}`);
    }
  }

  #constant(dot: GoValue, node: OperandNode): GoValue {
    this.frame.node = node;
    switch (node.type) {
      case 'bool':
        return node.value;
      case 'number':
        return node.ideal ?? this.frame.fail(`${node.text} overflows int`);
      case 'string':
        return node.text;
      default:
        return dot;
    }
  }

  #fieldNode(dot: GoValue, node: FieldNode, args: readonly OperandNode[], final: Final): GoValue {
    this.frame.node = node;
    return this.#fields(dot, dot, node.fields, { node, name: '', args, final }, this.frame.isDotAny);
  }

  #chain(dot: GoValue, node: ChainNode, args: readonly OperandNode[], final: Final): GoValue {
    this.frame.node = node;
    if (node.node.type === 'nil') this.frame.fail(`indirection through explicit nil in ${printNode(node)}`);
    const receiver = this.#argument(dot, undefined, node.node);
    return this.#fields(dot, receiver, node.fields, { node, name: '', args, final });
  }

  #variable(dot: GoValue, node: VariableNode, args: readonly OperandNode[], final: Final): GoValue {
    this.frame.node = node;
    const value = this.frame.valueOf(node.name);
    if (node.fields.length > 0) return this.#fields(dot, value, node.fields, { node, name: '', args, final });
    this.#refuseArguments(node, args, final);
    return value;
  }

  #function(
    dot: GoValue,
    { name, at }: IdentifierNode,
    node: Node,
    args: readonly OperandNode[],
    final: Final,
  ): GoValue {
    this.frame.node = { type: 'identifier', at, name };
    const found = this.#functions.get(name) ?? this.frame.fail(`"${name}" is not a defined function`);
    const call: Call = { node, name, args, final };
    if (name === 'and' || name === 'or') return this.#shortCircuit(dot, found, call, name === 'or');
    if (name === 'call') return this.#call(dot, found, call, ([callee]) => refuseCall(callee, args[0]));
    return this.#call(dot, found, call, (values) => found.call(values, this.#context));
  }

  /** The last of the fields may be a method that takes the arguments. */
  #fields(dot: GoValue, start: GoValue, fields: readonly string[], call: Call, isAny = false): GoValue {
    let receiver = start;
    let isFromAny = isAny;
    for (let index = 0; index < fields.length; index++) {
      const name = fields[index] as string;
      const isLast = index === fields.length - 1;
      const step: Call = isLast ? { ...call, name } : { node: call.node, name, args: [], final: MISSING };
      const value = this.#field(dot, receiver, step, isFromAny);
      isFromAny = receiver instanceof GoMap && receiver.type !== 'template.KV';
      receiver = value;
    }
    return receiver;
  }

  #field(dot: GoValue, receiver: GoValue, call: Call, isFromAny: boolean): GoValue {
    const { name, args, final } = call;
    if (receiver === undefined) return undefined;
    if (receiver === null) this.frame.fail(`nil pointer evaluating interface {}.${name}`);
    const method = methodOf(receiver, name);
    if (method) return this.#call(dot, method, call, (values) => method.call(receiver, values));
    const hasArguments = args.length > 0 || final !== MISSING;
    const struct = receiver instanceof GoPointer ? receiver.target : receiver;
    if (struct instanceof GoStruct) {
      const index = struct.type.fields.indexOf(name);
      if (index >= 0) {
        if (struct.type.json[index] === undefined) {
          this.frame.fail(`${name} is an unexported field of struct type ${typeNameOf(receiver)}`);
        }
        if (hasArguments) this.frame.fail(`${name} has arguments but cannot be invoked as function`);
        return struct.values[index];
      }
    }
    if (receiver instanceof GoMap) {
      if (hasArguments) this.frame.fail(`${name} is not a method but has arguments`);
      return receiver.valueOf(name);
    }
    return this.frame.fail(`can't evaluate field ${name} in type ${isFromAny ? 'interface {}' : typeNameOf(receiver)}`);
  }

  #checkCount({ parameters, variadic, uncallable }: Signature, { name, args, final }: Call): void {
    const count = args.length + (final === MISSING ? 0 : 1);
    const wanted = parameters.length;
    if (variadic) {
      if (count < wanted) {
        this.frame.fail(`wrong number of args for ${name}: want at least ${wanted} got ${args.length}`);
      }
    } else if (count !== wanted) {
      this.frame.fail(`wrong number of args for ${name}: want ${wanted} got ${count}`);
    }
    if (uncallable) this.frame.fail(uncallable);
  }

  /** `and` and `or` evaluate no more of their arguments than they have to. */
  #shortCircuit(dot: GoValue, signature: Signature, call: Call, until: boolean): GoValue {
    this.#checkCount(signature, call);
    let value: GoValue;
    for (const arg of call.args) {
      value = this.#argument(dot, 'reflect.Value', arg);
      if (isTrue(value) === until) return value;
    }
    return call.final === MISSING ? value : (call.final as GoValue);
  }

  #call(dot: GoValue, signature: Signature, call: Call, invoke: (values: GoValue[]) => GoValue): GoValue {
    this.#checkCount(signature, call);
    const { parameters, variadic } = signature;
    const values: GoValue[] = [];
    for (const arg of call.args) values.push(this.#argument(dot, parameters[values.length] ?? variadic, arg));
    if (call.final !== MISSING) {
      values.push(this.#fit(call.final as GoValue, parameters[values.length] ?? variadic));
    }
    this.#spendOn(signature, values);
    try {
      const result = invoke(values);
      if (typeof result === 'string') this.#spendOnText(result);
      return result;
    } catch (error) {
      // A TemplateError comes from a route label: a template of its own.
      if (!(error instanceof CallError || error instanceof TemplateError)) throw error;
      this.frame.node = call.node;
      return this.frame.fail(`error calling ${call.name}: ${error.message}`);
    }
  }

  /** A call costs a step, and more for what it has to look at. */
  #spendOn({ prints }: Signature, values: readonly GoValue[]): void {
    let steps = 1;
    for (const value of values) {
      if (typeof value === 'string') steps += value.length >> 4;
      else if (prints) steps += weigh(value) >> 2;
    }
    this.#context.spend(steps);
  }

  #spendOnText(text: string): void {
    if (text.length > MAX_CHARACTERS) throw new CallError('the text grows too long');
    this.#context.spend(text.length >> 4);
  }

  #argument(dot: GoValue, type: ParameterType | undefined, node: OperandNode): GoValue {
    this.frame.node = node;
    switch (node.type) {
      case 'dot':
        return this.#fit(dot, type);
      case 'nil':
        if (type && canBeNil(type)) return nilOf(type);
        return this.frame.fail(`cannot assign nil to ${type}`);
      case 'field':
        return this.#fit(this.#fieldNode(dot, node, [], MISSING), type);
      case 'variable':
        return this.#fit(this.#variable(dot, node, [], MISSING), type);
      case 'pipe':
        return this.#fit(this.pipeline(dot, node), type);
      case 'identifier':
        return this.#fit(this.#function(dot, node, node, [], MISSING), type);
      case 'chain':
        return this.#fit(this.#chain(dot, node, [], MISSING), type);
      default:
        return this.#literal(dot, type, node);
    }
  }

  #literal(dot: GoValue, type: ParameterType | undefined, node: OperandNode): GoValue {
    if (type === 'string') {
      return node.type === 'string' ? node.text : this.frame.fail(`expected string; found ${printNode(node)}`);
    }
    if (type !== undefined && isIntType(type)) return this.#int(node, type);
    if (type === 'interface {}' || type === 'reflect.Value' || type === undefined) return this.#constant(dot, node);
    return this.frame.fail(`can't handle ${printNode(node)} for arg of type ${type}`);
  }

  #int(node: OperandNode, type: ParameterType): GoValue {
    const value = node.type === 'number' ? intOf(node as NumberNode, type) : undefined;
    return value ?? this.frame.fail(`expected integer; found ${printNode(node)}`);
  }
}

/** No value of a template is a function: all that can be called has a name. */
function refuseCall(callee: GoValue, node: OperandNode | undefined): never {
  if (callee === undefined || callee === null) throw new CallError('call of nil');
  const shown = node ? printNode(node) : typeof callee === 'string' ? callee : `<${typeNameOf(callee)} Value>`;
  throw new CallError(`non-function ${shown} of type ${typeNameOf(callee)}`);
}
