import { nearestName, readCommandLine } from '../domain/command/line.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import { ack } from './ack.ts';
import { alerts } from './alerts.ts';
import { ask } from './ask.ts';
import { catchup } from './catchup.ts';
import type { SlashCommand } from './command.ts';
import { help } from './help.ts';
import { silence } from './silence.ts';
import { unack } from './unack.ts';
import { unsilence } from './unsilence.ts';

/** All slash commands, in the order of `/help`. */
export const COMMANDS: readonly SlashCommand[] = [alerts, silence, unsilence, ack, unack, ask, catchup, help];

export interface ReadCommand {
  readonly command: SlashCommand;
  readonly args: unknown;
}

/** Reads a body for which `isCommandLine` holds. */
export function readCommand(body: string, now: number): Outcome<ReadCommand> {
  const line = readCommandLine(body);
  const command = COMMANDS.find(({ name }) => name === line.name);
  if (!command) return refuseUnknown(line.name);
  const args = command.read(line, now);
  return args.ok ? accepted({ command, args: args.value }) : args;
}

function refuseUnknown(name: string) {
  const near = nearestName(
    name,
    COMMANDS.map((command) => command.name),
  );
  const advice = near ? `did you mean /${near}?` : '/help lists what there is.';
  return refuse('invalid_body', `there is no command /${name}; ${advice} To post the text as it is, begin it with //`);
}
