import { Chalk } from 'chalk';
import { formatDuration } from '../../kernel/duration.ts';
import { formatList } from '../../kernel/terminal/list.ts';
import { printableJson } from '../../kernel/terminal/printable.ts';
import { type Cell, formatTable } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { type ConnectionOptions, RelayClient } from './relay-client.ts';

export interface StatusOptions extends ConnectionOptions {
  readonly json?: boolean;
}

/** `relay status`: the relay and its environments. */
export async function showStatus(options: StatusOptions, terminal: Terminal): Promise<void> {
  const client = new RelayClient(options, terminal);
  const status = await client.status();
  if (options.json) {
    terminal.out(`${printableJson(status)}\n`);
    return;
  }
  const { bold, green, red } = new Chalk({ level: terminal.colors ? 1 : 0 });
  const coloured = (text: string, good: string): Cell => ({ text, style: text === good ? green : red });
  const ago = (at: number) =>
    `${formatDuration(Math.max(0, Math.floor((terminal.clock.now() - at) / 1000) * 1000))} ago`;
  terminal.out(
    formatTable([
      [{ text: 'Relay', style: bold }, client.url],
      [{ text: 'Version', style: bold }, status.version],
      [{ text: 'Status', style: bold }, coloured(status.status, 'healthy')],
    ]),
  );
  const names = Object.entries(status.environments);
  if (names.length === 0) return;
  const titles = ['ENVIRONMENT', 'STATUS', 'UPSTREAM', 'SINCE', 'LAST ERROR'];
  const rows = names.map(([name, { status: state, connectionStatus }]): Cell[] => {
    const { lastError } = connectionStatus;
    return [
      name,
      coloured(state, 'connected'),
      coloured(connectionStatus.state, 'VALID'),
      ago(connectionStatus.stateSince),
      lastError ? `${lastError.kind}, ${ago(lastError.time)}` : '',
    ];
  });
  terminal.out(`\n${formatList({ titles, rows }, { title: bold, columns: terminal.size?.columns })}`);
}
