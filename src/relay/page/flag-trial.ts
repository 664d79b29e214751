import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { TryAnswer } from '../contract/page.ts';
import { readContext } from '../domain/context/json.ts';
import { evaluateFlag } from '../domain/evaluation/evaluate.ts';
import { printTrace, Trace } from '../domain/evaluation/trace.ts';
import type { Environment } from '../environment.ts';

/** Evaluates a flag for a context with every step; undefined if the environment does not have the flag. */
export async function tryFlag(
  environment: Environment,
  key: string,
  json: unknown,
): Promise<Outcome<TryAnswer> | undefined> {
  const { store } = environment;
  const flag = store.flag(key);
  if (!flag) return undefined;
  const context = readContext(json);
  if (!context.ok) return refused(`context: ${context.reason}, such as {"kind": "user", "key": "ada"}`);
  const trace = new Trace();
  const memberships = await environment.memberships(context.value);
  const options = { trace, memberships };
  const { value, variation, reason, prerequisites } = evaluateFlag(flag, context.value, store, options);
  return accepted({ value, variation, reason, prerequisites, steps: printTrace(trace).trimEnd().split('\n') });
}
