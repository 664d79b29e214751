import { plainFlag } from './launchdarkly/faults.ts';

type Flag = Readonly<Record<string, unknown>>;

const clause = (attribute: string, op: string, values: readonly unknown[]) => ({
  contextKind: 'user',
  attribute,
  op,
  values,
  negate: false,
});

/** A realistic mix of flags: half plain, three in ten with rules, two in ten with a rollout. */
export function flagsOf(count: number): Readonly<Record<string, Flag>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`flag-${index}`, flagAt(index)]));
}

export const FLAG_KINDS = ['plain', 'rules', 'rollouts'] as const;
export type FlagKind = (typeof FLAG_KINDS)[number];

/** Flags of one kind alone. */
export function flagsOfKind(kind: FlagKind, count: number): Readonly<Record<string, Flag>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`flag-${index}`, flagOfKind(kind, index)]));
}

function flagAt(index: number): Flag {
  return flagOfKind(index % 10 < 5 ? 'plain' : index % 10 < 8 ? 'rules' : 'rollouts', index);
}

function flagOfKind(kind: FlagKind, index: number): Flag {
  const flag = { ...plainFlag(`flag-${index}`, true), variations: [true, false], offVariation: 1 };
  if (kind === 'plain') return flag;
  if (kind === 'rules') {
    const rules = [
      { id: 'staff', variation: 1, clauses: [clause('email', 'endsWith', ['@example.com', '@example.org'])] },
      {
        id: 'plans',
        variation: 0,
        clauses: [clause('plan', 'in', ['gold', 'silver']), clause('country', 'in', ['de', 'fr', 'it'])],
      },
    ];
    return { ...flag, rules };
  }
  const variations = [
    { variation: 0, weight: 30_000 },
    { variation: 1, weight: 70_000 },
  ];
  return { ...flag, fallthrough: { rollout: { contextKind: 'user', variations } } };
}

const PLANS = ['gold', 'silver', 'bronze'];
const COUNTRIES = ['de', 'fr', 'us', 'jp'];

export interface BenchContext {
  readonly kind: 'user';
  readonly key: string;
  readonly [attribute: string]: string | number;
}

export function contextAt(index: number): BenchContext {
  return {
    kind: 'user',
    key: `user-${index}`,
    name: `Somebody ${index}`,
    email: `somebody.${index}@shop.example`,
    plan: PLANS[index % PLANS.length] ?? '',
    country: COUNTRIES[index % COUNTRIES.length] ?? '',
    age: 20 + (index % 60),
    device: 'phone',
  };
}

export const encodeContext = (context: BenchContext): string =>
  Buffer.from(JSON.stringify(context)).toString('base64url');

/** A post of custom events, as current SDKs send them. */
export function eventsOf(count: number): readonly unknown[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'custom',
    creationDate: 1_760_000_000_000 + index,
    key: `event-${index}`,
    contextKeys: { user: `user-${index}` },
    data: { amount: index, currency: 'EUR' },
  }));
}
