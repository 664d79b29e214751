import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roomName } from './name.ts';

const ana = { id: 'ana', name: 'Ana Diaz', kind: 'human' } as const;
const NAMES: readonly (readonly [name: string, visibility: 'public' | 'direct', shown: string])[] = [
  ['Ana Diaz, Ben', 'direct', 'Ben'],
  ['Ben, Ana Diaz, Kim', 'direct', 'Ben, Kim'],
  ['Ana Diaz', 'direct', 'Ana Diaz'],
  ['Ana, Ben', 'direct', 'Ana, Ben'],
  ['Ana Diaz, Ben', 'public', 'Ana Diaz, Ben'],
];
for (const [name, visibility, shown] of NAMES)
  test(`Ana Diaz sees the ${visibility} room “${name}” as “${shown}”`, () =>
    assert.equal(roomName({ name, visibility }, ana), shown));
