import { type CallContext, CallError, type TemplateFunction } from '../callable.ts';
import { equalsAny, isLess, isTrue } from '../comparison.ts';
import { encodeJson } from '../printf/json.ts';
import { sprint, sprintf, sprintln } from '../printf/printf.ts';
import { GoPointer, type GoValue } from '../value.ts';
import { escapeHtml, escapeScript } from './escape.ts';
import { LIST_FUNCTIONS } from './list.ts';
import { REGEXP_FUNCTIONS } from './regexp.ts';
import { escapeQuery, TEXT_FUNCTIONS } from './text.ts';
import { TIME_FUNCTIONS } from './time.ts';

/** The text of any arguments for Go's escapers: a nil is `<no value>`. */
function textOf(args: readonly GoValue[]): string {
  const [only] = args;
  if (args.length === 1 && typeof only === 'string') return only;
  return sprint(args.map((arg) => (arg === undefined || arg === null ? '<no value>' : targetOf(arg))));
}

const targetOf = (value: GoValue): GoValue => (value instanceof GoPointer ? value.target : value);

function ofAny(call: (args: readonly GoValue[]) => GoValue): TemplateFunction {
  return { parameters: [], variadic: 'interface {}', prints: true, call };
}

function compares(call: (left: GoValue, right: GoValue) => boolean): TemplateFunction {
  return { parameters: ['reflect.Value', 'reflect.Value'], call: ([left, right]) => call(left, right) };
}

/** The evaluator implements these itself: `and` and `or` stop early, `call` always fails. */
const OF_EVALUATOR: TemplateFunction = {
  parameters: ['reflect.Value'],
  variadic: 'reflect.Value',
  call: ([first]) => first,
};

const isAtMost = (left: GoValue, right: GoValue) => isLess(left, right) || equalsAny(left, [right]);

const BUILT_IN: Readonly<Record<string, TemplateFunction>> = {
  and: OF_EVALUATOR,
  or: OF_EVALUATOR,
  not: { parameters: ['reflect.Value'], call: ([value]) => !isTrue(value) },
  eq: {
    parameters: ['reflect.Value'],
    variadic: 'reflect.Value',
    call: ([first, ...others]) => equalsAny(first, others),
  },
  ne: compares((left, right) => !equalsAny(left, [right])),
  lt: compares(isLess),
  le: compares(isAtMost),
  gt: compares((left, right) => !isAtMost(left, right)),
  ge: compares((left, right) => !isLess(left, right)),
  call: OF_EVALUATOR,
  print: ofAny((args) => sprint(args)),
  println: ofAny((args) => sprintln(args)),
  printf: {
    parameters: ['string'],
    variadic: 'interface {}',
    prints: true,
    call: ([format, ...args]) => sprintf(format as string, args),
  },
  html: ofAny((args) => escapeHtml(textOf(args))),
  js: ofAny((args) => escapeScript(textOf(args))),
  urlquery: ofAny((args) => escapeQuery(textOf(args))),
};

function toJson([value]: readonly GoValue[]): string {
  const encoded = encodeJson(value);
  if (!encoded.ok) throw new CallError(encoded.reason);
  return encoded.value;
}

const OF_DATA: Readonly<Record<string, TemplateFunction>> = {
  routeLabels: {
    parameters: ['string'],
    call: ([name], context: CallContext) => context.routeLabel(name as string),
  },
  toJson: { parameters: ['interface {}'], prints: true, call: toJson },
};

/** All template functions by name. */
export const FUNCTIONS: ReadonlyMap<string, TemplateFunction> = new Map(
  Object.entries({
    ...BUILT_IN,
    ...LIST_FUNCTIONS,
    ...TEXT_FUNCTIONS,
    ...REGEXP_FUNCTIONS,
    ...TIME_FUNCTIONS,
    ...OF_DATA,
  }),
);
