import { printable } from '../../kernel/terminal/printable.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { AlertmanagerClient, type ConnectionOptions, type Parameters } from './client.ts';
import { filtersOf } from './matcher-argument.ts';
import { formatOf, type OutputOptions } from './output.ts';
import { printSilences } from './silence-table.ts';
import { parseSpan } from './time-argument.ts';
import type { WireSilence } from './wire.ts';

export interface QuerySilencesOptions extends ConnectionOptions, OutputOptions {
  readonly expired?: boolean;
  readonly within?: string;
  readonly createdBy?: string;
  readonly id?: readonly string[];
  readonly quiet?: boolean;
}

/** The conditions besides matchers; tested here, as older servers have no parameters for states. */
function selects(options: QuerySilencesOptions, now: number): (silence: WireSilence) => boolean {
  const { expired = false, within, createdBy, id } = options;
  const withinMs = within === undefined ? Number.POSITIVE_INFINITY : parseSpan(within, '--within');
  return (silence) => {
    if ((silence.status.state === 'expired') !== expired) return false;
    const endsAt = Date.parse(silence.endsAt);
    if (expired ? endsAt < now - withinMs : endsAt > now + withinMs) return false;
    if (createdBy !== undefined && silence.createdBy !== createdBy) return false;
    return id === undefined || id.includes(silence.id);
  };
}

/** `alerts silence query`: lists active and pending silences, or with --expired the expired ones. */
export async function querySilences(
  args: readonly string[],
  options: QuerySilencesOptions,
  terminal: Terminal,
): Promise<void> {
  const isSelected = selects(options, terminal.clock.now());
  const states: Parameters = options.expired ? { active: false, pending: false } : { expired: false };
  const client = new AlertmanagerClient(options, terminal);
  const silences = (await client.silences({ ...states, filter: filtersOf(args) })).filter(isSelected);
  if (options.quiet) terminal.out(silences.map(({ id }) => `${printable(id)}\n`).join(''));
  else await printSilences(silences, { format: formatOf(options), url: client.url }, terminal);
}
