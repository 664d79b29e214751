import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { WireRoom } from '../../contract/room.ts';
import { RefusedError, type RoomsClient, withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { printJson } from '../output.ts';
import { enc, roomSchema } from '../wire.ts';
import { changeRoom, readLabels } from './room-settings.ts';

export interface NewOptions extends ConnectionOptions {
  readonly private?: boolean;
  readonly slug?: string;
  readonly topic?: string;
  readonly label?: readonly string[];
  readonly member?: readonly string[];
}

const pathOf = (room: string): string => `/api/room/${enc(room)}`;
const anySchema = v.record(v.string(), v.unknown());

/** `rooms new` */
export async function makeRoom(name: string, options: NewOptions, terminal: Terminal): Promise<void> {
  const { slug, topic, label, member } = options;
  const json = {
    name,
    ...(options.private ? { visibility: 'private' } : {}),
    ...(slug === undefined ? {} : { slug }),
    ...(topic === undefined ? {} : { topic }),
    ...(label === undefined ? {} : { labels: readLabels(label) }),
    ...(member === undefined ? {} : { members: member }),
  };
  await withClient(options, terminal, async (client) => {
    const headers = { 'idempotency-key': randomUUID() };
    printRoom(client.parse(await client.send('POST', '/api/room', { json, headers }), roomSchema), options, terminal);
  });
}

/** `rooms set` */
export async function setRoom(
  room: string,
  assignments: readonly string[],
  options: ConnectionOptions,
  terminal: Terminal,
): Promise<void> {
  await withClient(options, terminal, async (client) => {
    printRoom(await replaceRoom(client, room, assignments), options, terminal);
  });
}

/** Reads, changes and writes; once more after a concurrent change. */
async function replaceRoom(client: RoomsClient, room: string, assignments: readonly string[]): Promise<WireRoom> {
  for (let tries = 1; ; tries++) {
    const found = await client.send('GET', pathOf(room));
    // The copilot's settings are left out, and so kept.
    const { copilot: _, ...before } = client.parse(found, anySchema);
    const json = changeRoom(before, assignments);
    const headers = { 'if-match': found.headers.get('etag') ?? '*' };
    try {
      return client.parse(await client.send('PUT', pathOf(room), { json, headers }), roomSchema);
    } catch (error) {
      if (!(error instanceof RefusedError) || error.code !== 'version_mismatch' || tries > 1) throw error;
    }
  }
}

/** `rooms join`, by its name or by an invite. */
export async function joinRoom(
  room: string | undefined,
  options: ConnectionOptions & { readonly invite?: string },
  terminal: Terminal,
): Promise<void> {
  const { invite } = options;
  if ((room === undefined) === (invite === undefined))
    throw new CommandError('name the room, or the --invite that leads to it', ExitCode.usage);
  const path = invite === undefined ? `${pathOf(room ?? '')}/join` : `/api/invite/${enc(codeOf(invite))}`;
  await withClient(options, terminal, async (client) => {
    printRoom(client.parse(await client.send('POST', path), roomSchema), options, terminal);
  });
}

/** A link ends with the code. */
const codeOf = (invite: string): string => invite.replace(/^.*\//, '');

/** `rooms leave` */
export async function leaveRoom(room: string, options: ConnectionOptions, terminal: Terminal): Promise<void> {
  await withClient(options, terminal, async (client) => {
    await client.send('DELETE', `${pathOf(room)}/me`);
    if (options.json) printJson(terminal, { left: room });
  });
}

export interface InviteOptions extends ConnectionOptions {
  readonly uses?: number;
  /** Milliseconds. */
  readonly ttl?: number;
  readonly role?: string;
}

const inviteSchema = v.looseObject({ code: v.string(), expiresAt: v.string() });

/** `rooms invite`: prints the code. */
export async function invite(room: string, options: InviteOptions, terminal: Terminal): Promise<void> {
  const { uses, ttl, role } = options;
  const json = {
    ...(uses === undefined ? {} : { maxUses: uses }),
    ...(role === undefined ? {} : { role }),
    ...(ttl === undefined ? {} : { expiresAt: new Date(terminal.clock.now() + ttl).toISOString() }),
  };
  await withClient(options, terminal, async (client) => {
    const made = client.parse(await client.send('POST', `${pathOf(room)}/invite`, { json }), inviteSchema);
    if (options.json) printJson(terminal, made);
    else terminal.out(`${printable(made.code)}\n`);
  });
}

function printRoom(room: WireRoom, { json }: ConnectionOptions, terminal: Terminal): void {
  if (json) printJson(terminal, room);
  else terminal.out(`${printable(room.slug)}\n`);
}
