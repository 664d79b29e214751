import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, messageOf, systemCodeOf } from '../kernel/errors.ts';

/** The folder of one server in the data directory. */
export function stateFolderOf(dataDir: string, server: string): string {
  return join(dataDir, server);
}

/** Whether the folder has files for a dashboard. */
export function holdsUsage(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name === 'project-markers.json' || name.endsWith('.csv'));
  } catch {
    return false;
  }
}

/** Makes the project, which only this user can read at first. */
export function makeProject(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch (error) {
    throw new CommandError(`cannot make the dashboard's folder ${folder}: ${systemCodeOf(error) ?? messageOf(error)}`);
  }
}
