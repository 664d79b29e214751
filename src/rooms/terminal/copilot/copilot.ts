import * as v from 'valibot';
import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import { formatTable } from '../../../kernel/terminal/table.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { type Answer, RefusedError, type RoomsClient, withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { readSwitch, type Settings } from '../directory/room-settings.ts';
import { printJson } from '../output.ts';
import { enc } from '../wire.ts';
import { changeCopilot } from './copilot-settings.ts';

const anySchema = v.record(v.string(), v.unknown());
const testSchema = v.looseObject({
  ok: v.boolean(),
  latencyMs: v.optional(v.nullable(v.number())),
  model: v.optional(v.nullable(v.string())),
  error: v.optional(v.unknown()),
});

const pathOf = (room: string): string => `/api/room/${enc(room)}/copilot`;

/** `rooms copilot get` */
export async function showCopilot(room: string, options: ConnectionOptions, terminal: Terminal): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const settings = client.parse(await client.send('GET', pathOf(room)), v.nullable(anySchema));
    if (options.json) printJson(terminal, settings);
    else if (settings === null) terminal.out('the room has no copilot\n');
    else terminal.out(formatTable(flatten(settings)));
  });
}

function flatten(settings: Settings, prefix = ''): [string, string][] {
  return Object.entries(settings).flatMap(([key, value]): [string, string][] => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return flatten(value as Settings, `${prefix}${key}.`);
    return [[`${prefix}${key}`, Array.isArray(value) ? value.join(', ') : String(value ?? '-')]];
  });
}

export interface SetOptions extends ConnectionOptions {
  readonly keyStdin?: boolean;
  readonly removeKey?: boolean;
}

/** `rooms copilot set` */
export async function setCopilot(
  room: string,
  assignments: readonly string[],
  options: SetOptions,
  terminal: Terminal,
): Promise<void> {
  const apiKey = await readKey(options, terminal);
  if (assignments.length === 0 && apiKey === undefined)
    throw new CommandError('say what to set, such as provider=echo, or give a key', ExitCode.usage);
  await withClient(options, terminal, async (client) => {
    const key = apiKey === undefined ? {} : { apiKey };
    await change(client, room, (before) => ({ ...changeCopilot(before, assignments), ...key }), options, terminal);
  });
}

async function readKey(options: SetOptions, terminal: Terminal): Promise<string | null | undefined> {
  if (options.removeKey) return null;
  const key = options.keyStdin ? (await terminal.stdin()).trim() : terminal.env.OPSDECK_COPILOT_KEY;
  if (options.keyStdin && key === '') throw new CommandError('--key-stdin: standard input was empty', ExitCode.usage);
  return key || undefined;
}

/** `rooms copilot off`: keeps its settings, unless it is removed. */
export async function stopCopilot(
  room: string,
  options: ConnectionOptions & { readonly remove?: boolean },
  terminal: Terminal,
): Promise<void> {
  await withClient(options, terminal, async (client) => {
    if (!options.remove) return change(client, room, (before) => ({ ...before, enabled: false }), options, terminal);
    await client.send('DELETE', pathOf(room));
    if (options.json) printJson(terminal, null);
  });
}

/** `rooms copilot mine`: the caller's own switch. */
export async function switchMine(
  room: string,
  state: string,
  options: ConnectionOptions,
  terminal: Terminal,
): Promise<void> {
  const json = { copilot: readSwitch('state', state) };
  await withClient(options, terminal, async (client) => {
    const answer = await client.send('PUT', `/api/room/${enc(room)}`, { json });
    if (options.json) printJson(terminal, client.parse(answer, anySchema).me);
  });
}

/** Reads, changes and writes; once more after a concurrent change. */
async function change(
  client: RoomsClient,
  room: string,
  apply: (before: Settings) => Settings,
  options: ConnectionOptions,
  terminal: Terminal,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const found = await find(client, room);
    const before = found ? client.parse(found, v.nullable(anySchema)) : null;
    const etag = found?.headers.get('etag');
    const headers: Record<string, string> = before && etag ? { 'if-match': etag } : { 'if-none-match': '*' };
    try {
      const answer = await client.send('PUT', pathOf(room), { json: apply(before ?? {}), headers });
      if (options.json) printJson(terminal, client.parse(answer, v.unknown()));
      return;
    } catch (error) {
      if (!(error instanceof RefusedError) || error.code !== 'version_mismatch' || tries > 1) throw error;
    }
  }
}

async function find(client: RoomsClient, room: string): Promise<Answer | undefined> {
  try {
    return await client.send('GET', pathOf(room));
  } catch (error) {
    // The room exists, but has no copilot.
    if (error instanceof RefusedError && error.status === 404 && error.code !== 'room_not_found') return undefined;
    throw error;
  }
}

/** `rooms copilot test`: ends with 1 if the provider does not answer. */
export async function testCopilot(room: string, options: ConnectionOptions, terminal: Terminal): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const result = client.parse(await client.send('POST', `${pathOf(room)}/test`), testSchema);
    if (options.json) printJson(terminal, result);
    const { ok, latencyMs, model, error } = result;
    if (!ok) throw new CommandError(options.json ? '' : `the copilot does not answer: ${errorText(error)}`);
    if (!options.json)
      terminal.out(printable(`ok, ${model ?? 'its model'} answered in ${latencyMs ?? '?'} ms`).concat('\n'));
  });
}

function errorText(error: unknown): string {
  if (typeof error === 'string') return printable(error);
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return printable(typeof message === 'string' ? message : JSON.stringify(error));
}
