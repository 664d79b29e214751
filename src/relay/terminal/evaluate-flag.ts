import { Chalk } from 'chalk';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { printable, printableJson } from '../../kernel/terminal/printable.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { readContextText } from '../domain/context/json.ts';
import { evaluateFlag } from '../domain/evaluation/evaluate.ts';
import type { Reason } from '../domain/evaluation/reason.ts';
import { printTrace, Trace } from '../domain/evaluation/trace.ts';
import { isJsonObject } from '../domain/json.ts';
import { type FlagOriginOptions, openFlags, unknownFlag } from './flag-origin.ts';
import { RelayClient } from './relay-client.ts';

export interface EvaluateOptions extends FlagOriginOptions {
  readonly context: string;
  readonly explain?: boolean;
}

interface Evaluated {
  readonly value: unknown;
  readonly variation: unknown;
  readonly reason: unknown;
  readonly prerequisites?: unknown;
}

/** `relay eval`: the value of a flag for a context with its reason; --explain adds every step. */
export async function evaluateForTerminal(key: string, options: EvaluateOptions, terminal: Terminal): Promise<void> {
  const text = options.context === '-' ? await terminal.stdin() : options.context;
  const context = readContextText(text);
  if (!context.ok)
    throw new CommandError(`--context: ${context.reason}, such as {"kind": "user", "key": "ada"}`, ExitCode.usage);
  const trace = options.explain ? new Trace() : undefined;
  const store = await openFlags(options, terminal);
  let evaluated: Evaluated;
  if (store) {
    const flag = store.flag(key);
    if (!flag)
      throw unknownFlag(
        key,
        store.flags().map((one) => one.flag.key),
      );
    const own = evaluateFlag(flag, context.value, store, { trace });
    const needsMembers = own.reason.bigSegmentsStatus !== undefined && options.flags === undefined;
    evaluated = needsMembers ? { ...own, ...(await askRelay(key, text, new RelayClient(options, terminal))) } : own;
    if (needsMembers) trace?.add({ step: 'members unknown' });
  } else {
    // LaunchDarkly's relay does not return flags, only evaluations.
    const client = new RelayClient(options, terminal);
    if (options.explain) throw new CommandError(`${client.url} does not return flags, which --explain requires`);
    evaluated = await askRelay(key, text, client);
  }
  print(key, evaluated, { ...options, trace }, terminal);
}

/** Evaluates in the relay, which also knows the members of big segments. */
async function askRelay(key: string, context: string, client: RelayClient): Promise<Evaluated> {
  const found = await client.evaluation(key, context);
  if (!isJsonObject(found)) throw unknownFlag(key, []);
  const { value = null, variation = null, reason = null, prerequisites } = found;
  return { value, variation, reason, ...(prerequisites === undefined ? {} : { prerequisites }) };
}

function print(
  key: string,
  { value, variation, reason, prerequisites }: Evaluated,
  { json, trace }: { readonly json?: boolean; readonly trace: Trace | undefined },
  terminal: Terminal,
): void {
  const lines = trace ? printTrace(trace).trimEnd().split('\n').map(printable) : [];
  if (json) {
    const explained = trace && { trace: trace.steps.map(({ depth, step }) => ({ depth, ...step })) };
    terminal.out(`${printableJson({ key, value, variation, reason, prerequisites, ...explained })}\n`);
    return;
  }
  const { bold, dim } = new Chalk({ level: terminal.colors ? 1 : 0 });
  terminal.out(`${bold(printable(JSON.stringify(value)))}\n${printable(wordsOf(reason, variation))}\n`);
  if (lines.length > 0) terminal.out(`\n${lines.map((line) => `${dim(line)}\n`).join('')}`);
}

const WORDS: Readonly<Record<Reason['kind'], string>> = {
  OFF: 'the flag is off',
  FALLTHROUGH: 'no target and no rule matches',
  TARGET_MATCH: 'the context is a target',
  RULE_MATCH: 'a rule matches',
  PREREQUISITE_FAILED: 'a prerequisite failed',
  ERROR: 'the flag is malformed',
};

function wordsOf(reason: unknown, variation: unknown): string {
  const which = typeof variation === 'number' ? `variation ${variation}` : 'no variation';
  if (!isJsonObject(reason)) return which;
  const { kind, ruleIndex, ruleId, prerequisiteKey, inExperiment, bigSegmentsStatus } = reason;
  const detail = [
    ...(ruleIndex === undefined ? [] : [`rule ${ruleIndex}${ruleId === undefined ? '' : ` (${ruleId})`}`]),
    ...(prerequisiteKey === undefined ? [] : [String(prerequisiteKey)]),
    ...(inExperiment === true ? ['in an experiment'] : []),
    ...(bigSegmentsStatus === undefined ? [] : [`big segments ${bigSegmentsStatus}`]),
  ];
  const words = WORDS[kind as Reason['kind']] ?? '';
  return `${which}, ${String(kind)}: ${[words, ...detail].filter(Boolean).join(', ')}`;
}
