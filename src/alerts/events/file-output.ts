import { type FileHandle, open, stat } from 'node:fs/promises';
import { asLines, type EventOutput } from './output.ts';

/** Appends events to a file, one a line; a file that was moved away or deleted, as by logrotate, is created anew. */
export async function openFileOutput(path: string): Promise<EventOutput> {
  const openFile = () => open(path, 'a', 0o644);
  let file: FileHandle = await openFile();
  return {
    name: `file:${path}`,
    isLines: true,
    async send(events) {
      if (!(await isAt(file, path))) {
        const old = file;
        file = await openFile();
        await old.close();
      }
      await file.appendFile(asLines(events));
    },
    close: () => file.close(),
  };
}

async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  const { ino, dev } = await file.stat();
  return found?.ino === ino && found.dev === dev;
}
