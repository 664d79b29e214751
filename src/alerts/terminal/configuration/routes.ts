import { CommandError } from '../../../kernel/errors.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { AlertmanagerConfig } from '../../config/alertmanager-config.ts';
import { createLabelSet } from '../../domain/label-set.ts';
import { RouteTree } from '../../domain/route.ts';
import { AlertmanagerClient, type ConnectionOptions } from '../client.ts';
import { parseLabels } from '../matcher-argument.ts';
import { type LocalConfigOptions, parseConfig, readConfigFile } from './local-config.ts';
import { drawMatchingRoutes, drawRoutes } from './route-drawing.ts';

export interface RoutesOptions extends ConnectionOptions, LocalConfigOptions {
  readonly 'config.file'?: string;
}

export interface TestRoutesOptions extends RoutesOptions {
  readonly tree?: boolean;
  readonly 'verify.receivers'?: string;
}

/** The configuration of a file, or else of a server. */
async function findConfig(options: RoutesOptions, terminal: Terminal): Promise<AlertmanagerConfig> {
  const file = options['config.file'];
  if (file !== undefined) {
    if (options.url !== undefined) {
      terminal.err('Warning: --config.file flag overrides the --url.\n');
    }
    return readConfigFile(file, options, terminal);
  }
  const client = new AlertmanagerClient(options, terminal);
  const { config } = await client.status();
  const source = `the configuration of ${client.url}`;
  return parseConfig(config.original, { source, folder: '.', expandEnv: false, environment: terminal.env });
}

/** `alerts routes show`: draws the routing tree. */
export async function showRoutes(options: RoutesOptions, terminal: Terminal): Promise<void> {
  const { route } = await findConfig(options, terminal);
  terminal.out(`Routing tree:\n${drawRoutes(route)}\n`);
}

/** `alerts routes test`: prints the receivers of an alert, and fails unless they are the expected ones. */
export async function testRoutes(
  args: readonly string[],
  options: TestRoutesOptions,
  terminal: Terminal,
): Promise<void> {
  const labels = parseLabels(args);
  const { route } = await findConfig(options, terminal);
  if (options.tree) terminal.out(`Matching routes:\n${drawMatchingRoutes(route, labels)}\n\n`);
  const receivers = new RouteTree(route)
    .match(createLabelSet(labels))
    .map(({ receiver }) => receiver)
    .join(',');
  terminal.out(`${printable(receivers)}\n`);
  const expected = options['verify.receivers'];
  if (!expected || expected === receivers) return;
  terminal.out('WARNING: Expected receivers did not match resolved receivers.\n');
  throw new CommandError(`expected the receivers ${printable(expected)}, found ${printable(receivers)}`);
}
