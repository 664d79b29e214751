import * as v from 'valibot';
import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import { showList } from '../../../kernel/terminal/show.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { WireHook, WireShownHook } from '../../contract/hook.ts';
import { withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { printJson, whole } from '../output.ts';
import { enc, hookSchema, shownHookSchema } from '../wire.ts';

export interface NewHookOptions extends ConnectionOptions {
  readonly room?: string;
  readonly name?: string;
  readonly kind?: string;
  readonly thread?: string;
  readonly to?: string;
  readonly event?: readonly string[];
  readonly allowPrivate?: boolean;
}

const listSchema = v.looseObject({ hooks: v.array(hookSchema) });

/** `rooms hook new`: prints the address of an incoming hook, or the secret of an outgoing one, once. */
export async function newHook(direction: string, options: NewHookOptions, terminal: Terminal): Promise<void> {
  if (direction !== 'incoming' && direction !== 'outgoing')
    throw new CommandError('the direction of a hook is incoming or outgoing', ExitCode.usage);
  const { room, name, kind, thread, to, event, allowPrivate } = options;
  const given = { roomId: room, kind, threadId: thread, url: to, events: event, allowPrivate };
  const json = {
    direction,
    name: name ?? (direction === 'incoming' ? 'incoming' : (to ?? 'outgoing')).slice(0, 80),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  await withClient(options, terminal, async (client) => {
    const hook = client.parse(await client.send('POST', '/api/hook', { json }), shownHookSchema);
    printSecret(client.url, hook, options, terminal);
  });
}

function printSecret(url: string, hook: WireShownHook, options: ConnectionOptions, terminal: Terminal): void {
  const { path, secret } = hook;
  if (options.json) printJson(terminal, hook);
  else terminal.out(`${printable(path === undefined ? (secret ?? hook.id) : `${url}${path}`)}\n`);
}

function stateOf(hook: WireHook): string {
  if (hook.direction === 'incoming') return '-';
  if (!hook.enabled) return 'paused';
  return hook.failures > 0 ? `failing (${hook.lastStatus})` : 'ok';
}

/** `rooms hook ls` */
export async function listHooks(options: ConnectionOptions, terminal: Terminal): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const { hooks } = await client.get('/api/hook', listSchema);
    if (options.json) return printJson(terminal, hooks);
    const rows = hooks.map((hook) => [
      whole(hook.id),
      hook.direction,
      hook.name,
      hook.roomId ?? 'all rooms',
      hook.direction === 'incoming' ? hook.kind : hook.url,
      stateOf(hook),
    ]);
    const titles = ['ID', 'DIRECTION', 'NAME', 'ROOM', 'WHERE', 'STATE'];
    await showList({ titles, rows }, { what: 'hooks', place: client.url }, terminal);
  });
}

/** `rooms hook rm` */
export async function removeHook(id: string, options: ConnectionOptions, terminal: Terminal): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const hook = client.parse(await client.send('DELETE', `/api/hook/${enc(id)}`), hookSchema);
    if (options.json) printJson(terminal, hook);
    else terminal.out(`${printable(hook.id)}\n`);
  });
}

/** `rooms hook rotate`: prints a new secret once. The old one of an incoming hook becomes invalid; that of an outgoing one signs for a day more. */
export async function rotateHook(id: string, options: ConnectionOptions, terminal: Terminal): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const path = `/api/hook/${enc(id)}`;
    const found = await client.send('GET', path);
    const json = { ...client.parse(found, v.record(v.string(), v.unknown())), rotateSecret: true };
    const headers = { 'if-match': found.headers.get('etag') ?? '*' };
    printSecret(
      client.url,
      client.parse(await client.send('PUT', path, { json, headers }), shownHookSchema),
      options,
      terminal,
    );
  });
}

/** `rooms hook redeliver` */
export async function redeliver(
  id: string,
  options: ConnectionOptions & { readonly from: number },
  terminal: Terminal,
): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const path = `/api/hook/${enc(id)}/redeliver?from=${options.from}`;
    const hook = client.parse(await client.send('POST', path), hookSchema);
    if (options.json) printJson(terminal, hook);
    else terminal.out(`${printable(hook.id)}\n`);
  });
}
