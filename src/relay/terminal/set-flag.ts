import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { refused } from '../../kernel/outcome.ts';
import { printable, printableJson } from '../../kernel/terminal/printable.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { planChange } from '../file-source/edit/flag-change.ts';
import { type EditFault, editFlagFile, type FileChange } from '../file-source/edit/flag-file-edit.ts';
import { unknownFlag } from './flag-origin.ts';

export interface SetOptions {
  readonly flags?: string;
  readonly json?: boolean;
}

/** `relay set`: changes a flag in its file and keeps everything else as it is. */
export function setFlag(key: string, wanted: string, options: SetOptions, terminal: Terminal): void {
  const { flags = terminal.env.OPSDECK_RELAY_FLAGS, json } = options;
  if (!flags) throw new CommandError('--flags or OPSDECK_RELAY_FLAGS must name the file or folder', ExitCode.usage);
  const changed = editFlagFile(flags, (root) => {
    const plan = planChange(root, key, wanted);
    return plan && !plan.ok ? refused(`flag ${JSON.stringify(key)}: ${plan.reason}`) : plan;
  });
  if (!changed.ok) throw refusalOf(key, changed);
  print(key, changed.value, json ?? false, terminal);
}

function refusalOf(key: string, { kind, reason, known }: EditFault): CommandError {
  if (kind === 'unknown') return unknownFlag(key, known);
  return new CommandError(reason, EXIT_CODES[kind]);
}

const EXIT_CODES = { invalid: ExitCode.usage, conflict: ExitCode.conflict, failed: ExitCode.failed } as const;

function print(key: string, { file, before, after, remark }: FileChange, json: boolean, terminal: Terminal): void {
  if (json) terminal.out(`${printableJson({ flag: key, file, before, after })}\n`);
  else {
    const was = before === after ? 'unchanged' : `was ${before}`;
    terminal.out(printable(`${key}: ${after} (${was}) in ${file}${remark === undefined ? '' : `; ${remark}`}`));
    terminal.out('\n');
  }
}
