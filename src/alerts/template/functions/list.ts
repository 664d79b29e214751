import { type CallContext, CallError, MAX_CHARACTERS, type TemplateFunction } from '../callable.ts';
import { SafeText } from '../html-escape/safe-text.ts';
import { GoInt, GoList, GoMap, GoPointer, type GoValue, typeNameOf } from '../value.ts';
import { weigh } from '../weight.ts';

function bounded<T extends GoList | GoMap>(value: T, context: CallContext): T {
  context.spend(value instanceof GoList ? value.items.length : value.entries.size);
  if (weigh(value) > MAX_CHARACTERS) throw new CallError('the value grows too large');
  return value;
}

const nilInside = (value: GoValue): GoValue => value ?? null;

function listOf(items: readonly GoValue[], context: CallContext): GoList {
  return bounded(new GoList('[]interface {}', items.map(nilInside)), context);
}

function dictOf(args: readonly GoValue[], context: CallContext): GoMap {
  if (args.length % 2 !== 0) throw new CallError('dict requires an even number of arguments');
  const entries = new Map<string, GoValue>();
  for (let index = 0; index < args.length; index += 2) {
    const key = args[index];
    if (typeof key !== 'string') throw new CallError('dict keys must be strings');
    entries.set(key, nilInside(args[index + 1]));
  }
  return bounded(new GoMap('map[string]interface {}', entries), context);
}

/** Texts are indexed by the bytes of their UTF-8. */
const bytesOf = (value: string | SafeText): Buffer => Buffer.from(typeof value === 'string' ? value : value.text);

function position(index: GoValue, length: number): number {
  const value = typeof index === 'bigint' ? index : index instanceof GoInt ? index.value : undefined;
  if (index === undefined || index === null) throw new CallError('cannot index slice/array with nil');
  if (value === undefined) throw new CallError(`cannot index slice/array with type ${typeNameOf(index)}`);
  if (value < 0n || value > BigInt(length)) throw new CallError(`index out of range: ${value}`);
  return Number(value);
}

function mapKey(index: GoValue): string {
  if (typeof index === 'string') return index;
  if (index === undefined || index === null) throw new CallError('value is nil; should be of type string');
  throw new CallError(`value has type ${typeNameOf(index)}; should be string`);
}

function indexOne(item: GoValue, index: GoValue): GoValue {
  if (item === null || item === undefined) throw new CallError('index of nil pointer');
  if (item instanceof GoMap) return item.valueOf(mapKey(index));
  if (item instanceof GoList) {
    const at = position(index, item.items.length);
    if (at === item.items.length) throw new CallError('reflect: slice index out of range');
    return item.items[at];
  }
  if (typeof item === 'string' || item instanceof SafeText) {
    const bytes = bytesOf(item);
    const at = position(index, bytes.length);
    if (at === bytes.length) throw new CallError('reflect: string index out of range');
    return new GoInt('uint8', BigInt(bytes[at] as number));
  }
  const indexed = item instanceof GoPointer ? item.target : item;
  throw new CallError(`can't index item of type ${typeNameOf(indexed)}`);
}

function index([item, ...indexes]: readonly GoValue[]): GoValue {
  if (item === null || item === undefined) throw new CallError('index of untyped nil');
  return indexes.reduce(indexOne, item);
}

function sliceBounds(indexes: readonly GoValue[], length: number): [number, number] {
  if (indexes.length > 3) throw new CallError(`too many slice indexes: ${indexes.length}`);
  const [start = 0, end = length, most = length] = indexes.map((one) => position(one, length));
  if (start > end) throw new CallError(`invalid slice index: ${start} > ${end}`);
  if (end > most) throw new CallError(`invalid slice index: ${end} > ${most}`);
  return [start, end];
}

function slice([item, ...indexes]: readonly GoValue[]): GoValue {
  if (item === null || item === undefined) throw new CallError('slice of untyped nil');
  if (item instanceof GoList)
    return new GoList(item.type, item.items.slice(...sliceBounds(indexes, item.items.length)));
  if (typeof item === 'string' || item instanceof SafeText) {
    if (indexes.length === 3) throw new CallError('cannot 3-index slice a string');
    const bytes = bytesOf(item);
    const text = bytes.subarray(...sliceBounds(indexes, bytes.length)).toString();
    return typeof item === 'string' ? text : new SafeText(item.kind, text);
  }
  throw new CallError(`can't slice item of type ${typeNameOf(item instanceof GoPointer ? item.target : item)}`);
}

function lengthOf(item: GoValue): bigint {
  if (item instanceof GoList) return BigInt(item.items.length);
  if (item instanceof GoMap) return BigInt(item.entries.size);
  if (typeof item === 'string') return BigInt(Buffer.byteLength(item));
  if (item instanceof SafeText) return BigInt(Buffer.byteLength(item.text));
  if (item === null) throw new CallError('len of nil pointer');
  if (item === undefined) throw new CallError('reflect: call of reflect.Value.Type on zero Value');
  throw new CallError(`len of type ${typeNameOf(item instanceof GoPointer ? item.target : item)}`);
}

export const LIST_FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  list: { parameters: [], variadic: 'interface {}', call: listOf },
  dict: { parameters: [], variadic: 'interface {}', call: dictOf },
  append: {
    parameters: ['[]interface {}'],
    variadic: 'interface {}',
    call: ([list, ...items], context) => listOf([...(list as GoList).items, ...items], context),
  },
  index: { parameters: ['reflect.Value'], variadic: 'reflect.Value', call: index },
  slice: { parameters: ['reflect.Value'], variadic: 'reflect.Value', call: slice },
  len: { parameters: ['reflect.Value'], call: ([item]) => lengthOf(item) },
};
