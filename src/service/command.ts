import { realpathSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import type { LoadProgram } from '../completion/command.ts';
import { CommandError, ExitCode } from '../kernel/errors.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import { executableFile } from '../kernel/threads/thread.ts';
import { commandOf, hiddenFromUnit, printUnit, SERVICES, type Service, unitNameOf } from './unit.ts';

const HELP = `
The unit runs as a user of its own, may write only to /var/lib/opsdeck-SERVER (of up: /var/lib/opsdeck), restarts a server that
fails or hangs, and reads variables from /etc/opsdeck/opsdeck-SERVER.env: put passwords there, not into flags. Paths in flags
are absolute, or relative to the state directory.`;

/** `opsdeck service …` */
export function addServiceCommand(program: Command, terminal: Terminal, loadProgram: LoadProgram): void {
  const service = program.command('service').description('run servers under systemd');
  service.addHelpText(
    'after',
    `${HELP}\n\nExamples:\n  opsdeck service print alerts\n  sudo opsdeck service install up`,
  );
  const add = (name: string, description: string) =>
    service
      .command(name)
      .description(description)
      .addArgument(new Argument('[server]', 'what to run').choices(SERVICES).default('up'))
      .argument('[flags...]', 'its flags, after --');
  add('print', 'print a unit of systemd')
    .addHelpText(
      'after',
      `${HELP}

Examples:
  opsdeck service print
  opsdeck service print alerts -- --config.file /etc/alertmanager.yml --web.listen-address 127.0.0.1:9093`,
    )
    .action(async (server: Service, flags: readonly string[]) => {
      const { text, hidden } = await makeUnit(server, flags, terminal, loadProgram);
      if (hidden) terminal.err(`opsdeck: ${hidden}\n`);
      terminal.out(text);
    });
  add('install', 'write the unit, and start it now and at every boot')
    .option('--directory <directory>', 'where units are kept', '/etc/systemd/system')
    .addHelpText(
      'after',
      `${HELP}\n\nExamples:\n  sudo opsdeck service install rooms -- --base-url https://chat.example.com`,
    )
    .action(async (server: Service, flags: readonly string[], { directory }: { readonly directory: string }) => {
      const { text, hidden } = await makeUnit(server, flags, terminal, loadProgram);
      if (hidden) throw new CommandError(hidden);
      const { installUnit } = await import('./install.ts');
      await installUnit({ name: unitNameOf(server), text, directory }, terminal);
    });
}

async function makeUnit(service: Service, flags: readonly string[], terminal: Terminal, loadProgram: LoadProgram) {
  await refuseUnknown(service, flags, terminal, loadProgram);
  const program = [process.execPath, ...(isBinary() ? [] : [realpathSync(executableFile ?? process.argv[1] ?? '')])];
  return { text: printUnit({ service, program, flags }), hidden: hiddenFromUnit(program) };
}

const isBinary = (): boolean => process.getBuiltinModule('node:sea').isSea();

/** A mistake is reported now, and not by a unit that does not start. */
async function refuseUnknown(service: Service, flags: readonly string[], terminal: Terminal, loadProgram: LoadProgram) {
  let command = await loadProgram(service, terminal);
  for (const name of commandOf(service)) command = command.commands.find((one) => one.name() === name) ?? command;
  const { operands, unknown } = command.parseOptions([...flags]);
  const [wrong] = [...unknown, ...operands];
  if (wrong === undefined) return;
  const words = commandOf(service).join(' ');
  throw new CommandError(`opsdeck ${words} has no ${wrong}: its --help lists the flags`, ExitCode.usage);
}
