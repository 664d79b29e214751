import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { printable, printableJson } from '../../kernel/terminal/printable.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { readDocument } from '../file-source/document.ts';
import { findFlagFiles, loadFlags } from '../file-source/files.ts';
import { editDocument } from './document-edit.ts';
import { type FlagChange, planChange } from './flag-change.ts';
import { unknownFlag } from './flag-origin.ts';

export interface SetOptions {
  readonly flags?: string;
  readonly json?: boolean;
}

/** `relay set`: changes a flag in its file and keeps everything else as it is. */
export function setFlag(key: string, wanted: string, options: SetOptions, terminal: Terminal): void {
  const { flags = terminal.env.OPSDECK_RELAY_FLAGS, json } = options;
  if (!flags) throw new CommandError('--flags or OPSDECK_RELAY_FLAGS must name the file or folder', ExitCode.usage);
  const known = loadFlags(flags);
  if (!known.ok) throw new CommandError(known.reason, ExitCode.usage);
  for (const file of findFlagFiles(flags).paths) {
    const text = readFileSync(file, 'utf8');
    const document = readDocument(file, text);
    const plan = document.ok ? planChange(document.value.value, key, wanted) : undefined;
    if (!plan) continue;
    if (!plan.ok) throw new CommandError(`flag ${JSON.stringify(key)}: ${plan.reason}`, ExitCode.usage);
    write(file, text, plan.value);
    print(key, file, plan.value, json ?? false, terminal);
    return;
  }
  throw unknownFlag(
    key,
    known.value.filter(({ kind }) => kind === 'flags').map((item) => item.key),
  );
}

function write(file: string, text: string, { edits }: FlagChange): void {
  const changed = edits.reduce((before, edit) => editDocument(file, before, edit), text);
  if (changed === text) return;
  try {
    saveFile(file, changed);
  } catch (error) {
    throw new CommandError(`cannot write ${file}: ${systemCodeOf(error) ?? messageOf(error)}`);
  }
}

function print(
  key: string,
  file: string,
  { before, after, remark }: FlagChange,
  json: boolean,
  terminal: Terminal,
): void {
  if (json) terminal.out(`${printableJson({ flag: key, file, before, after })}\n`);
  else {
    const was = before === after ? 'unchanged' : `was ${before}`;
    terminal.out(printable(`${key}: ${after} (${was}) in ${file}${remark === undefined ? '' : `; ${remark}`}`));
    terminal.out('\n');
  }
}

/** Writes a file atomically if the system can replace it. */
function saveFile(path: string, text: string): void {
  // Replaces the target of a link, not the link.
  const file = realpathSync(path);
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    const descriptor = openSync(draft, 'wx', statSync(file).mode & 0o777);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    // A file that is a mount point cannot be replaced, and the folder may be read-only while the file is not.
    if (!['EBUSY', 'EXDEV', 'EACCES', 'EPERM', 'EROFS'].includes(systemCodeOf(error) ?? '')) throw error;
    writeFileSync(file, text);
  }
}
