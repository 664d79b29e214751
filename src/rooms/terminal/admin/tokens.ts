import * as v from 'valibot';
import { CommandError } from '../../../kernel/errors.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import { showList } from '../../../kernel/terminal/show.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { TokenBody, WireToken } from '../../contract/token.ts';
import { type RoomsClient, withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { ageOf, printJson, whole } from '../output.ts';
import { enc, tokenSchema } from '../wire.ts';

export interface NewTokenOptions extends ConnectionOptions {
  readonly for?: string;
  readonly scope?: readonly string[];
  readonly room?: readonly string[];
  /** Milliseconds. */
  readonly expires?: number;
}

export interface RevokeTokenOptions extends ConnectionOptions {
  readonly withChildren?: boolean;
}

const madeSchema = v.looseObject({ token: tokenSchema, secret: v.string() });
const listSchema = v.looseObject({ tokens: v.array(tokenSchema), next: v.nullable(v.string()) });

/** `rooms token new`: prints only the secret, once. */
export async function newToken(name: string, options: NewTokenOptions, terminal: Terminal): Promise<void> {
  const { scope, room, expires } = options;
  const json: TokenBody = {
    name,
    ...(options.for === undefined ? {} : { userId: options.for }),
    ...(scope === undefined ? {} : { scopes: scope as NonNullable<TokenBody['scopes']> }),
    ...(room === undefined ? {} : { roomIds: [...room] }),
    ...(expires === undefined ? {} : { expiresAt: new Date(terminal.clock.now() + expires).toISOString() }),
  };
  await withClient(options, terminal, async (client) => {
    const made = client.parse(await client.send('POST', '/api/token', { json }), madeSchema);
    if (options.json) printJson(terminal, made);
    else terminal.out(`${printable(made.secret)}\n`);
  });
}

/** `rooms token ls` */
export async function listTokens(
  options: ConnectionOptions & { readonly for?: string },
  terminal: Terminal,
): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const tokens = await readTokens(client, options.for);
    if (options.json) return printJson(terminal, tokens);
    const now = terminal.clock.now();
    const rows = tokens.map(({ prefix, name, userId, scopes, lastUsedAt, expiresAt, id }) => [
      `${prefix}…`,
      name,
      userId,
      scopes.join(','),
      ageOf(lastUsedAt, now),
      expiresAt?.slice(0, 10) ?? 'never',
      whole(id),
    ]);
    const titles = ['TOKEN', 'NAME', 'USER', 'GOOD FOR', 'USED', 'EXPIRES', 'ID'];
    await showList({ titles, rows }, { what: 'tokens', place: client.url }, terminal);
  });
}

async function readTokens(client: RoomsClient, user?: string): Promise<readonly WireToken[]> {
  const tokens: WireToken[] = [];
  let next: string | null = '';
  while (next !== null) {
    const query = new URLSearchParams({ limit: '200' });
    if (user !== undefined) query.set('user', user);
    if (next !== '') query.set('next', next);
    const page: v.InferOutput<typeof listSchema> = await client.get(`/api/token?${query}`, listSchema);
    tokens.push(...page.tokens);
    next = page.next;
  }
  return tokens;
}

/** `rooms token revoke`: by id, or by a unique prefix or name. */
export async function revokeToken(wanted: string, options: RevokeTokenOptions, terminal: Terminal): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const tokens = await readTokens(client);
    const meant = tokens.filter(
      ({ id, name, prefix }) => id === wanted || name === wanted || prefix === wanted.replace(/\u2026$/, ''),
    );
    const [token] = meant;
    if (!token) throw new CommandError('there is no such token; token ls shows them');
    if (meant.length > 1) throw new CommandError(`${meant.length} tokens are called that; name one by its id`);
    const path = `/api/token/${enc(token.id)}`;
    const headers = { 'if-match': (await client.send('GET', path)).headers.get('etag') ?? '*' };
    const query = options.withChildren ? '?children=true' : '';
    const revoked = client.parse(await client.send('DELETE', path + query, { headers }), tokenSchema);
    if (options.json) printJson(terminal, revoked);
    else terminal.out(`${printable(revoked.id)}\n`);
  });
}
