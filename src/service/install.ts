import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../kernel/errors.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';

export interface Installation {
  /** Without its ending. */
  readonly name: string;
  readonly text: string;
  readonly directory: string;
}

/** Writes a unit, and starts it at every boot and now. */
export async function installUnit({ name, text, directory }: Installation, terminal: Terminal): Promise<void> {
  const path = join(directory, `${name}.service`);
  try {
    writeFileSync(path, text);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EACCES' || code === 'EPERM')
      throw new CommandError(`this user may not write ${path}: run it as root`, ExitCode.denied);
    throw new CommandError(`cannot write ${path}: ${code ?? messageOf(error)}`);
  }
  terminal.out(`wrote ${path}\n`);
  for (const args of [['daemon-reload'], ['enable', name], ['restart', name]]) await systemctl(args, terminal);
  terminal.out(`started ${name}: systemctl status ${name}\n`);
}

async function systemctl(args: readonly string[], { env }: Terminal): Promise<void> {
  const child = spawn('systemctl', [...args], { stdio: ['ignore', 'ignore', 'inherit'], env });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(new CommandError(`systemctl cannot be run: ${messageOf(error)}`)));
    child.once('close', resolve);
  });
  if (code !== 0)
    throw new CommandError(`systemctl ${args.join(' ')} failed; journalctl -u ${args.at(-1)} may say why`);
}
