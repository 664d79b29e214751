import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BINARY, runProcess, temporaryFolder } from './testing/processes.ts';

// The image of Containerfile without a container engine: its files and the libraries of its base, in a chroot.

const CONTAINERFILE = readFileSync('Containerfile', 'utf8');

/** The arguments of an instruction, each time it is given. */
const valuesOf = (instruction: string) =>
  [...CONTAINERFILE.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(([, value = '']) => value);

const commandOf = (instruction: string) => JSON.parse(valuesOf(instruction)[0] ?? '') as readonly string[];

/** What Debian's slim image has, and an executable may ask for. */
const LIBRARIES = /^lib(c|dl|m|pthread|stdc\+\+|gcc_s)\.so\.\d$|^ld-linux-/;

function put(root: string, file: string, to: string): void {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  copyFileSync(file, join(root, to));
}

async function makeRoot(t: TestContext, binary: string): Promise<string> {
  const root = temporaryFolder(t);
  for (const copied of valuesOf('COPY')) {
    const [from = '', to = ''] = copied.split(' ').filter((word) => !word.startsWith('--'));
    put(root, from === 'dist/opsdeck-linux-x64' ? binary : from, to);
  }
  const { stdout } = await runProcess('ldd', [binary]);
  for (const [, path = ''] of stdout.matchAll(/(\/\S+) \(0x/g)) {
    assert.match(path.replace(/.*\//, ''), LIBRARIES);
    put(root, path, path);
  }
  for (const folder of ['data', 'dev', 'proc']) mkdirSync(join(root, folder));
  return root;
}

/** Runs in namespaces of its own, as the user of the image; `$1` is the root, and `inside` runs a command there. */
const SCRIPT = `
  ip link set lo up
  mount --bind "$1" "$1"
  mount --rbind /dev "$1/dev"
  mount --rbind /proc "$1/proc"
  mount --bind "$1/data" "$1/data"
  mount -o remount,bind,ro "$1"
  ! touch "$1/usr/written" 2>/dev/null
  inside() { exec env -i OPSDECK_ALERTS_URL=http://127.0.0.1:9093 setpriv --ambient-caps=-all,+sys_chroot unshare --root="$root" --wd=/data "$@"; }
  root=$1
  (eval "$2") &
  until (eval "$3") >/dev/null; do sleep 0.1; done
  (inside /usr/local/bin/opsdeck alerts silence add alertname=DiskFull --author ann --comment disk)
  kill $!
  wait $!`;

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

test('the command of the image serves from a read-only root, as a user without rights, and is healthy', {
  skip: BINARY === undefined && 'OPSDECK_BINARY names no executable: npm run binary',
}, async (t) => {
  const root = await makeRoot(t, BINARY as string);
  const [user = ''] = valuesOf('USER');
  const [uid = '', gid = ''] = user.split(':');
  const serve = `inside ${quoted([...commandOf('ENTRYPOINT'), ...commandOf('CMD')])}`;
  const check = `inside ${quoted(JSON.parse(/^HEALTHCHECK .*CMD (.*)$/m.exec(CONTAINERFILE)?.[1] ?? '') as readonly string[])}`;
  const namespaces = [
    '--user',
    `--map-user=${uid}`,
    `--map-group=${gid}`,
    '--mount',
    '--net',
    '--pid',
    '--fork',
    '--kill-child',
    '--keep-caps',
  ];
  const { code, stdout, stderr } = await runProcess('unshare', [
    ...[...namespaces, 'bash', '-ec', SCRIPT, 'bash', root, serve, check],
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^[0-9a-f-]{36}$/m);
  assert.deepEqual(readdirSync(join(root, 'data')), ['alerts']);
});
