// Records what V8 compiles during a start of `alerts serve`: compiling would take a third of the start.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const CONFIG = `
route: {receiver: team, group_by: [alertname], routes: [{matchers: ['severity="critical"'], receiver: team}]}
receivers: [{name: team, webhook_configs: [{url: 'http://127.0.0.1:9'}]}]
inhibit_rules: [{source_matchers: ['severity="critical"'], target_matchers: ['severity="warning"'], equal: [alertname]}]
`;

/** Runs in the server, before it: keeps each script, and writes the code of all at the end. V8 takes code back under the same flags only. */
function recordScripts(vm, v8, fs) {
  v8.setFlagsFromString = () => {};
  const scripts = [];
  const { Script } = vm;
  vm.Script = class extends Script {
    constructor(text, options) {
      super(text, options);
      scripts.push([options.filename, this]);
    }
  };
  process.on('exit', () => {
    const code = scripts.map(([file, script]) => [file, script.createCachedData().toString('base64')]);
    fs.writeFileSync(process.env.OPSDECK_CODE_CACHE, JSON.stringify(code));
  });
}

const RECORDER = `import fs from 'node:fs'; import v8 from 'node:v8'; import vm from 'node:vm'; (${recordScripts})(vm, v8, fs);`;

/** The code of each part of the executable that such a start loads, by the name of the part. */
export async function recordCodeCache(executable) {
  const folder = mkdtempSync(join(tmpdir(), 'opsdeck-build-'));
  try {
    const file = join(folder, 'code.json');
    const config = join(folder, 'alertmanager.yml');
    writeFileSync(config, CONFIG);
    const server = spawn(
      process.execPath,
      [
        ...['--import', `data:text/javascript,${encodeURIComponent(RECORDER)}`, executable, 'alerts', 'serve'],
        ...[`--config.file=${config}`, `--storage.path=${join(folder, 'data')}`, '--web.listen-address=127.0.0.1:0'],
      ],
      { env: { PATH: process.env.PATH, OPSDECK_CODE_CACHE: file }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const lines = [];
    createInterface({ input: server.stderr }).on('line', (line) => {
      lines.push(line);
      if (line.includes('Listening on')) server.kill('SIGTERM');
    });
    const code = await new Promise((resolve) => server.on('close', resolve));
    if (code !== 0) throw new Error(`alerts serve ended with ${code}:\n${lines.join('\n')}`);
    const recorded = JSON.parse(readFileSync(file, 'utf8'));
    return new Map(recorded.map(([path, base64]) => [basename(path), Buffer.from(base64, 'base64')]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
