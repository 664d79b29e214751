import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../caller.ts';
import type { StateView } from '../change.ts';
import { makeUser } from '../user/new-user.ts';
import { checkSlug, deriveSlug, freeSlug } from './slug.ts';

test('a slug is the usual short form of a name', () => {
  for (const [name, slug] of [
    ['Ops', 'ops'],
    ['  On Call / EU  ', 'on-call-eu'],
    ['Größe & Höhe', 'grosse-hohe'],
    ['Ａｌｐｈａ', 'alpha'],
    ['🔥', 'room'],
    ['--x--', 'x'],
    ['01a1f8d3-436d-7000-849b-00f4880ba8de', 'room-01a1f8d3-436d-7000-849b-00f4880ba8de'],
  ] as const)
    assert.equal(deriveSlug(name), slug);
  assert.equal(deriveSlug('x'.repeat(80)).length, 64);
  assert.match(deriveSlug(`${'x'.repeat(63)} y`), /^x{63}$/);
});

const view = (taken: Readonly<Record<string, number | null>>) =>
  ({
    get: (kind: string, key: string) =>
      kind === 'slug' && key in taken ? { roomId: key } : kind === 'room' ? { deletedAt: taken[key] } : undefined,
  }) as unknown as StateView;

const ana: Caller = {
  user: makeUser('ana', 0),
  kind: 'user',
  isAdmin: false,
  scopes: new Set(),
  roomIds: null,
  tokenId: null,
  expiresAt: null,
};
const ANA = { caller: ana, alertRooms: new Set(['oncall']) };

test('a slug named by --alerts-rooms is given by an admin of the server alone', () => {
  assert.equal(checkSlug(view({}), ANA, 'oncall', 'new')?.code, 'forbidden');
  assert.equal(freeSlug(view({}), ANA, 'oncall', 'new'), 'oncall-2');
  const admin = { ...ANA, caller: { ...ana, isAdmin: true } };
  assert.equal(checkSlug(view({}), admin, 'oncall', 'new'), undefined);
  assert.equal(freeSlug(view({}), admin, 'oncall', 'new'), 'oncall');
  const limited = { ...ANA, caller: { ...admin.caller, roomIds: new Set(['new']) } };
  assert.equal(checkSlug(view({}), limited, 'oncall', 'new')?.code, 'forbidden');
});

test('a taken slug gets the next number, and the slug of a deleted room is free', () => {
  assert.equal(freeSlug(view({}), ANA, 'ops', 'new'), 'ops');
  assert.equal(freeSlug(view({ ops: null, 'ops-2': null }), ANA, 'ops', 'new'), 'ops-3');
  assert.equal(freeSlug(view({ ops: 5 }), ANA, 'ops', 'new'), 'ops');
  const long = 'x'.repeat(64);
  assert.equal(freeSlug(view({ [long]: null }), ANA, long, 'new'), `${'x'.repeat(62)}-2`);
  assert.equal(checkSlug(view({ ops: null }), ANA, 'ops', 'new')?.code, 'name_taken');
  assert.equal(checkSlug(view({ ops: null }), ANA, 'ops', 'ops'), undefined, 'a room keeps its own');
});
