import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Settings } from './settings.ts';

const DEFAULTS = {
  refreshSeconds: 15,
  creator: '',
  times: 'relative',
  order: 'severity',
  density: 'compact',
  filters: [],
  startFilter: '',
  sound: false,
  desktop: false,
};

function storageOf(entries: Readonly<Record<string, string>> = {}) {
  const map = new Map(Object.entries(entries));
  return {
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
  };
}

test('a new browser has the defaults', () => assert.deepEqual(new Settings(storageOf()).values, DEFAULTS));

test('stored choices are restored', () => {
  const storage = storageOf();
  const chosen = {
    refreshSeconds: 0,
    creator: 'mira',
    times: 'absolute',
    order: 'newest',
    density: 'comfortable',
    filters: [{ name: 'Databases', hash: '#/alerts?search=db' }],
    startFilter: 'Databases',
    sound: true,
    desktop: true,
  } as const;
  new Settings(storage).change(chosen);
  assert.deepEqual(new Settings(storage).values, chosen);
});

test('the name stored by the page of Alertmanager is taken over', () => {
  assert.equal(new Settings(storageOf({ defaultCreator: 'jonas' })).values.creator, 'jonas');
});

for (const spoilt of [
  '',
  '{',
  'null',
  '7',
  '{"refreshSeconds":7,"times":"x","order":null,"filters":[7,{"name":"x","hash":"javascript:1"}],"sound":1}',
]) {
  test(`the spoilt value ${spoilt || '(empty)'} counts as none`, () => {
    assert.deepEqual(new Settings(storageOf({ 'opsdeck.alerts': spoilt })).values, DEFAULTS);
  });
}

test('forbidden storage leaves settings that last as long as the page', () => {
  const forbidden = () => {
    throw new Error('SecurityError');
  };
  const settings = new Settings({ getItem: forbidden, setItem: forbidden });
  settings.change({ creator: 'mira' });
  assert.deepEqual(settings.values, { ...DEFAULTS, creator: 'mira' });
});
