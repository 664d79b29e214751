import { join } from 'node:path';

/** The folders of a comma-separated variable, `~` resolved; undefined for an absent or empty one. */
export function listedFolders(value: string | undefined, home: string): readonly string[] | undefined {
  const folders = (value ?? '')
    .split(',')
    .map((folder) => folder.trim())
    .filter((folder) => folder !== '')
    .map((folder) => (/^~(?=[/\\]|$)/.test(folder) ? join(home, folder.slice(1)) : folder));
  return folders.length > 0 ? folders : undefined;
}

/** A variable's folder, or the one that holds without it. */
export function homeFolder(value: string | undefined, otherwise: string): string {
  return value?.trim() || otherwise;
}
