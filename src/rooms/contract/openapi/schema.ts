import type * as v from 'valibot';

/** The fields of a valibot schema that are read here. */
interface Described {
  readonly type: string;
  readonly kind?: string;
  readonly wrapped?: Described;
  readonly item?: Described;
  readonly entries?: Readonly<Record<string, Described>>;
  readonly options?: readonly (Described | string | number)[];
  readonly value?: Described;
  readonly literal?: unknown;
  readonly requirement?: unknown;
  readonly pipe?: readonly Described[];
}

/** The JSON Schema of a schema's input, without what JSON Schema cannot express, such as checks in code. */
export function jsonSchemaOf(schema: v.GenericSchema): object {
  return describe(schema as unknown as Described);
}

function describe(schema: Described): object {
  if (schema.pipe) {
    const [first, ...actions] = schema.pipe;
    const base = first ? describe({ ...first, pipe: undefined } as never) : {};
    return Object.assign({}, base, ...actions.map((action) => describeAction(action, base)));
  }
  const { type } = schema;
  if (type === 'string' || type === 'boolean' || type === 'number' || type === 'null') return { type };
  if (type === 'literal') return { const: schema.literal };
  if (type === 'picklist') return { enum: schema.options };
  if (type === 'array') return { type: 'array', items: describe(schema.item as Described) };
  if (type === 'record') return { type: 'object', additionalProperties: describe(schema.value as Described) };
  if (type === 'nullable' || type === 'nullish') {
    return { anyOf: [describe(schema.wrapped as Described), { type: 'null' }] };
  }
  if (schema.wrapped) return describe(schema.wrapped);
  if (type === 'union' || type === 'variant') return { anyOf: (schema.options as Described[]).map(describe) };
  return schema.entries ? describeObject(schema) : {};
}

function describeObject({ type, entries = {} }: Described): object {
  const required = Object.entries(entries).flatMap(([name, entry]) =>
    ['optional', 'nullish', 'exact_optional', 'undefinedable'].includes(entry.type) ? [] : [name],
  );
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, describe(entry)])),
    ...(required.length === 0 ? {} : { required }),
    ...(type === 'strict_object' ? { additionalProperties: false } : {}),
  };
}

function describeAction({ type, requirement }: Described, base: object): object {
  const isList = 'type' in base && base.type === 'array';
  switch (type) {
    case 'integer':
      return { type: 'integer' };
    case 'regex':
      return { pattern: (requirement as RegExp).source };
    case 'min_value':
      return { minimum: requirement };
    case 'max_value':
      return { maximum: requirement };
    case 'min_length':
      return { [isList ? 'minItems' : 'minLength']: requirement };
    case 'max_length':
      return { [isList ? 'maxItems' : 'maxLength']: requirement };
    default:
      return {};
  }
}
