import { basename } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { readRegularFile } from '../../kernel/storage/regular-file.ts';
import { findFiles } from './file-pattern.ts';
import { type TemplateFile, Templates } from './templates.ts';

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  ENOENT: 'no such file or directory',
};

async function readTemplate(path: string): Promise<Outcome<TemplateFile>> {
  try {
    return accepted({ name: basename(path), text: await readRegularFile(path) });
  } catch (error) {
    const code = systemCodeOf(error);
    const problem = code === undefined ? undefined : PROBLEMS[code];
    return refused(problem ? `open ${path}: ${problem}` : messageOf(error));
  }
}

/** Reads the files of the patterns, in order. A pattern may match no file; a refusal names the file. */
export async function readTemplateFiles(patterns: readonly string[]): Promise<Outcome<readonly TemplateFile[]>> {
  const files: TemplateFile[] = [];
  for (const pattern of patterns) {
    const paths = await findFiles(pattern);
    if (!paths.ok) return paths;
    for (const path of paths.value) {
      const file = await readTemplate(path);
      if (!file.ok) return file;
      files.push(file.value);
    }
  }
  return accepted(files);
}

/** The default templates and those of the files; refused when any cannot be read or parsed. */
export async function loadTemplates(
  patterns: readonly string[],
  { clock }: { readonly clock?: Clock } = {},
): Promise<Outcome<Templates>> {
  const files = await readTemplateFiles(patterns);
  return files.ok ? Templates.parse(files.value, clock) : files;
}
