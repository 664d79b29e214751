import { Chalk } from 'chalk';
import { CommandError } from '../../kernel/errors.ts';
import { escapeUnseen } from '../../kernel/terminal/printable.ts';
import { showList } from '../../kernel/terminal/show.ts';
import type { Cell } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import type { CompiledFlag } from '../domain/compile.ts';
import type { Flag, VariationOrRollout } from '../domain/flag.ts';
import { type FlagOriginOptions, openFlags } from './flag-origin.ts';
import { RelayClient } from './relay-client.ts';

export type ListOptions = FlagOriginOptions;

const MAX_VALUE = 40;
const TITLES = ['FLAG', 'STATE', 'DEFAULT', 'TARGETS', 'RULES', 'VERSION'];

/** `relay flags`: every flag with its state and default value. */
export async function listFlags(options: ListOptions, terminal: Terminal): Promise<void> {
  const store = await openFlags(options, terminal);
  if (!store) throw new CommandError('this relay does not return flags (sdk/latest-all); use --flags');
  if (options.json) {
    terminal.out(`${escapeUnseen(store.text('flags'))}\n`);
    return;
  }
  const { green, dim } = new Chalk({ level: terminal.colors ? 1 : 0 });
  const rows = store
    .flags()
    .map(({ flag }): Cell[] => [
      flag.key,
      flag.on ? { text: 'on', style: green } : { text: 'off', style: dim },
      servedTo(flag),
      String(flag.targets.length + flag.contextTargets.filter(({ values }) => values.length > 0).length),
      String(flag.rules.length),
      String(flag.version),
    ]);
  const place = options.flags ?? new RelayClient(options, terminal).url;
  await showList({ titles: TITLES, rows }, { what: 'flags', place }, terminal);
}

/** The value without a matching target or rule. */
function servedTo(flag: CompiledFlag['flag']): string {
  if (!flag.on) return textOf(flag, flag.offVariation);
  return shareOf(flag, flag.fallthrough);
}

function shareOf(flag: Flag, { variation, rollout }: VariationOrRollout): string {
  if (!rollout || variation !== undefined) return textOf(flag, variation);
  return rollout.variations
    .filter(({ weight }) => weight > 0)
    .map((one) => `${one.weight / 1000} % ${textOf(flag, one.variation)}`)
    .join(', ');
}

function textOf(flag: Flag, variation: number | undefined): string {
  if (variation === undefined) return '-';
  const text = JSON.stringify(flag.variations[variation]) ?? 'unknown variation';
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
