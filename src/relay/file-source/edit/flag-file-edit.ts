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
import { messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import { accepted, type Outcome } from '../../../kernel/outcome.ts';
import type { Json } from '../../domain/json.ts';
import { readDocument } from '../document.ts';
import { findFlagFiles, loadFlags } from '../files.ts';
import { editDocument } from './document-edit.ts';
import type { FlagChange } from './flag-change.ts';

/** A change that is in its file. */
export interface FileChange extends FlagChange {
  readonly file: string;
}

/**
 * `invalid`: the files or the wanted value; `unknown`: no file has the flag; `conflict`: another program changed the file
 * meanwhile; `failed`: the file cannot be written.
 */
export interface EditFault {
  readonly kind: 'invalid' | 'unknown' | 'conflict' | 'failed';
  readonly reason: string;
  /** The keys of all flags, of an unknown one. */
  readonly known: readonly string[];
}

/** Plans the change of a document; undefined if it does not have the flag. */
export type FlagPlan = (root: Json) => Outcome<FlagChange> | undefined;

/** Changes the flag in the file, or the file of the folder, that has it, and keeps everything else as it is. */
export function editFlagFile(path: string, plan: FlagPlan): Outcome<FileChange, EditFault> {
  const loaded = loadFlags(path);
  if (!loaded.ok) return fault('invalid', loaded.reason);
  for (const file of findFlagFiles(path).paths) {
    const text = readFileSync(file, 'utf8');
    const document = readDocument(file, text);
    const planned = document.ok ? plan(document.value.value) : undefined;
    if (!planned) continue;
    if (!planned.ok) return fault('invalid', planned.reason);
    const saved = write(file, text, planned.value);
    return saved ?? accepted({ ...planned.value, file });
  }
  const known = loaded.value.filter(({ kind }) => kind === 'flags').map((item) => item.key);
  return fault('unknown', 'no file has the flag', known);
}

type Fault = { readonly ok: false } & EditFault;

const fault = (kind: EditFault['kind'], reason: string, known: readonly string[] = []): Fault => ({
  ok: false,
  kind,
  reason,
  known,
});

function write(file: string, text: string, { edits }: FlagChange): Fault | undefined {
  const changed = edits.reduce((before, edit) => editDocument(file, before, edit), text);
  if (changed === text) return undefined;
  try {
    if (saveFile(file, text, changed)) return undefined;
  } catch (error) {
    return fault('failed', `cannot write ${file}: ${systemCodeOf(error) ?? messageOf(error)}`);
  }
  return fault('conflict', `another program changed ${file} meanwhile; look at the flag and repeat the change`);
}

/** Writes a file atomically if the system can replace it; false if it no longer has the text `before`. */
function saveFile(path: string, before: string, text: string): boolean {
  // Replaces the target of a link, not the link.
  const file = realpathSync(path);
  const isUnchanged = () => readFileSync(file, 'utf8') === before;
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    const descriptor = openSync(draft, 'wx', statSync(file).mode & 0o777);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    const isCurrent = isUnchanged();
    if (isCurrent) renameSync(draft, file);
    else rmSync(draft);
    return isCurrent;
  } catch (error) {
    rmSync(draft, { force: true });
    // A file that is a mount point cannot be replaced, and the folder may be read-only while the file is not.
    if (!['EBUSY', 'EXDEV', 'EACCES', 'EPERM', 'EROFS'].includes(systemCodeOf(error) ?? '')) throw error;
    if (!isUnchanged()) return false;
    writeFileSync(file, text);
    return true;
  }
}
