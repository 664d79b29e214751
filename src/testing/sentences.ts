import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Shorter ones occur anywhere. */
const MIN_LENGTH = 6;

/** The fixed parts of the texts that a pattern matches: what lies in no group, class or repetition. */
function fixedParts({ source }: RegExp): readonly string[] {
  let rest = source.replace(/\\([./()[\]{}?*+^$|-])/g, (_, sign: string) => `\0${sign.charCodeAt(0)}\0`);
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(/\([^()]*\)[?*+]?/g, '\n');
  }
  return rest
    .split(/\n|\\[bsSwWdD][*+?]?|\.[*+]\??|[\^$]|\[[^\]]*\][*+?]?/)
    .map((part) => part.replace(/\0(\d+)\0/g, (_, code: string) => String.fromCharCode(Number(code))))
    .filter((part) => part.trim().length >= MIN_LENGTH);
}

/** The patterns whose fixed parts the sources below the folders do not contain: their sentences have changed. */
export function unsaidPatterns(patterns: readonly RegExp[], ...folders: readonly string[]): readonly RegExp[] {
  const text = folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /(?<!\.test|\.bench)\.ts$/.test(file))
        .map((file) => readFileSync(join(folder, file), 'utf8')),
    )
    .join('\n')
    .replaceAll("\\'", "'");
  return patterns.filter((pattern) => fixedParts(pattern).some((part) => !text.includes(part)));
}
