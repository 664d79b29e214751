import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { findJsonFault } from './json-fault.ts';

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test('the search for JSON errors finds one exactly where JSON.parse does, in 6,000 damaged texts', () => {
  const random = new Random(4);
  const whole = '{"a":[1,-0.5e+3,"x\\u00e9\\n",true,null],"b":{"c":{},"d":[]},"e":"\\"","f":0}';
  const letters = [...'{}[]",:\\ \n\t\u0001-+.0129eEaturfnl'];
  let good = 0;
  for (let i = 0; i < 20_000; i++) {
    const at = random.int(0, whole.length - 1);
    const cut = random.int(0, 3);
    const text = whole.slice(0, at) + (random.chance(0.7) ? random.pick(letters) : '') + whole.slice(at + cut);
    const fault = findJsonFault(text);
    // JSON.parse accepts only duplicate names.
    if (fault?.message.includes('occurs twice')) continue;
    assert.equal(fault === undefined, isJson(text), JSON.stringify({ text, fault }));
    assert.ok(fault === undefined || fault.offset <= text.length);
    if (!fault) good++;
  }
  assert.ok(good > 150, `only ${good} good ones`);
});

const faults: [text: string, offset: number, message: string][] = [
  ['', 0, 'expected a value, found the end of the file'],
  ['  x', 2, 'expected a value, found "x"'],
  ['[1,]', 3, 'expected a value, found "]"'],
  ['{"a" 1}', 5, 'expected ":", found "1"'],
  ['[1 2]', 3, 'expected "," or "]", found "2"'],
  ['["a]', 1, 'unterminated string or invalid escape'],
  ['{"a":1,"\\u0061":2}', 7, '"a" occurs twice in the same object'],
  ['['.repeat(1000), 501, 'nested too deeply'],
];
for (const [text, offset, message] of faults) {
  test(`the fault of ${JSON.stringify(text.slice(0, 20))} is at ${offset}`, () => {
    assert.deepEqual(findJsonFault(text), { offset, message });
  });
}
