import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { bundleScript, startChild as startScript } from '../testing/child-script.ts';
import { eventually } from '../testing/eventually.ts';
import { isRunning, temporaryFolder } from '../testing/processes.ts';

/** A program that is both: what starts the other, and what is started. It prints what comes of it. */
const PROGRAM = `
import { createInterface } from 'node:readline';
import { appendFileSync } from 'node:fs';
import { answerCalls } from './calls.ts';
import { currentChild, startChild, whenParentGone } from './child.ts';
import { messageOf } from './errors.ts';

const say = (line) => process.stdout.write(line + '\\n');
const log = { error: (message, fields) => say(message + ' ' + JSON.stringify(fields)) };
const revive = () => undefined;

const child = currentChild(process.argv.slice(2));
if (child) {
  const { path } = child.options;
  const note = (text) => appendFileSync(path, text + '\\n');
  answerCalls(child.port, {
    async pid() { return process.pid; },
    async double(value) { return new Map([['double', value * 2]]); },
    async fail() { setTimeout(() => { throw new Error('out of luck'); }); return new Promise(() => {}); },
    async later(text) { note('begun ' + text); },
  });
  whenParentGone(() => { note('parent gone'); setTimeout(() => { note('done'); process.exit(0); }, 100); });
} else {
  const [file, path] = process.argv.slice(1);
  const part = startChild({ file, name: 'a part', options: { path }, log, revive });
  part.died.then((error) => say('died: ' + error.message));
  const commands = {
    pid: async () => say(String(await part.methods.pid())),
    double: async () => say(String((await part.methods.double(21)).get('double'))),
    fail: () => part.methods.fail().catch((error) => say(error.name + ': ' + messageOf(error))),
    kill: async () => process.kill(await part.methods.pid(), 'SIGKILL'),
    end: async () => { await part.end(); say('ended'); },
    die: () => { for (let n = 0; n < 100; n++) void part.methods.later(String(n)); setImmediate(() => process.kill(process.pid, 'SIGKILL')); },
  };
  createInterface(process.stdin).on('line', (line) => commands[line]());
}
`;
const program = bundleScript(PROGRAM);

async function start(t: TestContext) {
  const folder = temporaryFolder(t);
  const [file, notes] = [join(folder, 'program.mjs'), join(folder, 'notes')];
  writeFileSync(file, await program);
  writeFileSync(notes, '');
  const parent = startScript(t, await program, { args: [file, notes] });
  const ask = (command: string) => {
    parent.send(command);
    return parent.readLine();
  };
  return { parent, ask, notes };
}

/** The group of processes that it belongs to; undefined where there is no /proc. Source: proc(5). */
function groupOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[2]);
  } catch {
    return undefined;
  }
}

test('a process of its own is asked for methods, and is in no group of another', async (t) => {
  const { ask, parent } = await start(t);
  assert.equal(await ask('double'), '42');
  const pid = Number(await ask('pid'));
  assert.notEqual(pid, parent.pid);
  assert.ok([undefined, pid].includes(groupOf(pid)));
});

test('what is sent to it by a terminal or a supervisor does not end it', async (t) => {
  const { ask } = await start(t);
  const pid = Number(await ask('pid'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
  assert.equal(await ask('double'), '42');
});

test('what escapes in it is logged, ends it, and is told to whoever waits', async (t) => {
  const { ask, parent } = await start(t);
  assert.equal(await ask('fail'), 'the process of a part fails {"err":"out of luck"}');
  assert.equal(await parent.readLine(), 'PartEndedError: the process of a part ended: code 1');
  assert.equal(await parent.readLine(), 'died: the process of a part ended: code 1');
});

test('the signal that has ended it is told', async (t) => {
  const { ask } = await start(t);
  assert.equal(await ask('kill'), 'died: the process of a part ended: SIGKILL');
});

test('it is asked to end, and may finish what it does', async (t) => {
  const { ask, notes } = await start(t);
  const pid = Number(await ask('pid'));
  assert.equal(await ask('end'), 'ended');
  assert.equal(isRunning(pid), false);
  assert.equal(readFileSync(notes, 'utf8'), 'parent gone\ndone\n');
});

test('it outlives a parent that is killed, has all that was sent to it before, and ends when it has done that', async (t) => {
  const { ask, parent, notes } = await start(t);
  const pid = Number(await ask('pid'));
  parent.send('die');
  assert.equal((await parent.end).signal, 'SIGKILL');
  await eventually('its end', () => !isRunning(pid));
  const lines = readFileSync(notes, 'utf8').trimEnd().split('\n');
  const begun = Array.from({ length: 100 }, (_, n) => `begun ${n}`);
  assert.deepEqual(lines, [...begun, 'parent gone', 'done']);
});
