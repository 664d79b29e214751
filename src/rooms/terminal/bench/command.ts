import type { Command } from 'commander';
import { intervalFlag } from '../../../kernel/terminal/flags.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { addConnection, durationOption, numberFlag } from '../shared-flags/command.ts';
import type { BenchOptions } from './bench.ts';

/** Load on a server, and the proof that it keeps what it promises. */
export function addBenchCommand(rooms: Command, terminal: Terminal): void {
  addConnection(rooms.command('bench').description('put load on a server, or verify that it loses nothing'))
    .option('--rooms <count>', 'into so many rooms, which are made and deleted', numberFlag, 8)
    .option('--members <count>', 'so many write', numberFlag, 16)
    .option('--fanout <count>', 'so many read', numberFlag, 32)
    .option(
      '--rate <count>',
      'messages a second in all (default: all that are answered; with --verify 500)',
      numberFlag,
    )
    .option('--duration <duration>', 'how long (default: 10s; with --verify 60s)', intervalFlag)
    .option('--verify', 'readers come and go at random; then the history is checked')
    .option('--kill', 'verify a server of its own, on a temporary directory, that is killed (SIGKILL) again and again')
    .addOption(durationOption('--kill-every <duration>', 'how often', intervalFlag, 2_000))
    .addHelpText(
      'after',
      `
Verified is: each acknowledged message is there exactly once; the numbers of each room are 1, 2, 3 …; what was acknowledged
before another was sent stands before it; each reader was told everything once and in order, over all his connections.
Ends with 1 and names each violation otherwise. A server with tokens should run with --no-rate-limits meanwhile.

Examples:
  opsdeck rooms bench --duration 30s
  opsdeck rooms bench --verify --url http://127.0.0.1:8065
  opsdeck rooms bench --verify --kill`,
    )
    .action(async (options: BenchOptions) => {
      const { bench } = await import('./bench.ts');
      await bench(options, terminal);
    });
}
