import { nearestName, readCommandLine } from '../domain/command/line.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import { ack } from './ack.ts';
import { alerts } from './alerts.ts';
import { ask } from './ask.ts';
import { catchup } from './catchup.ts';
import type { SlashCommand } from './command.ts';
import { extend } from './extend.ts';
import { handover } from './handover.ts';
import { help } from './help.ts';
import { incident } from './incident/incident.ts';
import { oncall } from './oncall.ts';
import { poll } from './poll/poll.ts';
import { vote } from './poll/vote.ts';
import { remind } from './remind/remind.ts';
import { flag } from './servers/flag.ts';
import { status } from './servers/status.ts';
import { usage } from './servers/usage.ts';
import { silence } from './silence.ts';
import { summary } from './summary.ts';
import { unack } from './unack.ts';
import { unsilence } from './unsilence.ts';

/** All slash commands, in the order of `/help`. */
export const COMMANDS: readonly SlashCommand[] = [
  alerts,
  status,
  silence,
  extend,
  unsilence,
  ack,
  unack,
  oncall,
  handover,
  incident,
  ask,
  summary,
  catchup,
  poll,
  vote,
  remind,
  flag,
  usage,
  help,
];

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
