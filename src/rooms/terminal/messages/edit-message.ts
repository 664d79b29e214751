import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError, ExitCode, messageOf } from '../../../kernel/errors.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { printJson } from '../output.ts';
import { enc, messageSchema } from '../wire.ts';

/** `rooms edit`: changes a message, unless it has changed meanwhile. */
export async function editMessage(
  id: string,
  words: readonly string[],
  options: ConnectionOptions,
  terminal: Terminal,
): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const path = `/api/message/${enc(id)}`;
    const found = await client.send('GET', path);
    const message = client.parse(found, messageSchema);
    const body = words.length > 0 ? words.join(' ') : await newText(message.body, terminal);
    if (body === message.body) {
      terminal.err('edit: nothing was changed\n');
      return;
    }
    const answer = await client.send('PUT', path, {
      json: { ...message, body },
      headers: { 'if-match': found.headers.get('etag') ?? '*' },
    });
    if (options.json) printJson(terminal, client.parse(answer, messageSchema));
    else terminal.out(`${printable(message.id)}\n`);
  });
}

/** From the editor; without a terminal, from standard input. */
async function newText(text: string, terminal: Terminal): Promise<string> {
  const editor = terminal.env.VISUAL || terminal.env.EDITOR;
  if (editor) return editText(editor, text);
  if (terminal.isTyped) throw new CommandError('write the new text, or name an editor in EDITOR', ExitCode.usage);
  const piped = (await terminal.stdin()).trimEnd();
  if (piped !== '') return piped;
  throw new CommandError('write the new text, or pipe it in', ExitCode.usage);
}

async function editText(editor: string, text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'opsdeck-edit-'));
  const file = join(folder, 'message.md');
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
    await runEditor(editor, file);
    return readFileSync(file, 'utf8').replace(/\n+$/, '');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By the shell, since `$EDITOR` may be `code --wait`. */
function runEditor(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    child.once('error', (error) => reject(new CommandError(`the editor does not start: ${messageOf(error)}`)));
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new CommandError(`the editor ended with ${code}; nothing was changed`));
    });
  });
}
