import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { type Outcome, refused } from '../../kernel/outcome.ts';
import { type FileItem, type FlagFile, readFlagFiles } from './flag-file.ts';
import { SAMPLE_FLAGS, sampleFlags } from './sample.ts';

/** The files of a path, and a state that changes with any of them. */
export interface FoundFiles {
  readonly paths: readonly string[];
  readonly state: string;
}

const FLAG_FILE = /^[^.].*\.(json|ya?ml)$/i;
const TROUBLE: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
};

/** Finds the file, or every JSON and YAML file of the folder, sorted by name. Throws system errors. */
export function findFlagFiles(path: string): FoundFiles {
  const paths = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => FLAG_FILE.test(name))
        .sort()
        .map((name) => join(path, name))
    : [path];
  const states = paths.map((one) => {
    const { ino, size, mtimeNs, ctimeNs } = statSync(one, { bigint: true });
    return `${one} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  });
  return { paths, state: states.join('\n') };
}

/** Reads the flags of a file, a folder of files, or the sample. */
export function loadFlags(
  path: string,
  read: (path: string) => string = (one) => readFileSync(one, 'utf8'),
): Outcome<readonly FileItem[]> {
  if (path === SAMPLE_FLAGS) return readFlagFiles([{ name: SAMPLE_FLAGS, text: sampleFlags }]);
  let files: readonly FlagFile[];
  try {
    files = findFlagFiles(path).paths.map((one) => ({ name: nameOf(one, path), text: read(one) }));
  } catch (error) {
    return refused(`${path}: ${TROUBLE[systemCodeOf(error) ?? ''] ?? messageOf(error)}`);
  }
  if (files.length === 0) return refused(`${path}: the folder has no .json, .yml or .yaml file`);
  return readFlagFiles(files);
}

function nameOf(path: string, asked: string): string {
  return path === asked ? path : join(asked, basename(path));
}
