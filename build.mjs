// Builds dist/opsdeck.js: one executable CommonJS file with code, web pages and sample data inside.
// With --test it also bundles the named test files, or all, into .build/tests, and runs them; of all, waits-*.mjs, units-*.mjs,
// processes-*.mjs and browsers-*.mjs each import some.
// With --benches it bundles *.bench.ts into .build/benches, with all.mjs, which imports them.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliCompressSync, constants, zstdCompressSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { recordCodeCache } from './code-cache.mjs';
import { printLicences } from './third-party.mjs';

const root = import.meta.dirname;
const flags = new Set(process.argv.slice(2));
const namedFiles = [...flags].filter((flag) => !flag.startsWith('--'));
const say = flags.has('--quiet') ? () => {} : (line) => process.stdout.write(`${line}\n`);

/** The packages whose code is in the executable: their folders, by name@version. */
const packagesInside = new Map();

function notePackages({ outputs }) {
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = bytesInOutput > 0 && /^(?:[\w-]+:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
      if (!folder) continue;
      const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      packagesInside.set(`${name}@${version}`, join(root, folder));
    }
  }
}

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });

/** Unpacks ten times as fast as Brotli, and is no larger. */
const zstd = (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } });

/** Packages that are loaded only by some commands. */
const rarelyNeeded = [
  'undici',
  'ky',
  'nodemailer/.*',
  '@aws-sdk/client-sns',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/credential-providers',
  'bcryptjs',
  'chalk',
  'yaml',
  're2js',
  'pg',
  '@redis/client',
];

/** Packages that are imported statically, but unpacked at the first use of an export. */
const UNPACKED_WHEN_USED = new Set(['chalk', 're2js', 'yaml']);

/**
 * The parts of undici used by `src/kernel/http-client`, without fetch, WebSocket, mocks and caches: loads in a third of the time
 * with half of the memory.
 */
const USED_OF_UNDICI = `
  const Dispatcher = require('undici/lib/dispatcher/dispatcher');
  Object.assign(Dispatcher.prototype, {
    connect: require('undici/lib/api/api-connect'),
    request: require('undici/lib/api/api-request'),
  });
  module.exports = {
    Agent: require('undici/lib/dispatcher/agent'),
    Pool: require('undici/lib/dispatcher/pool'),
    ProxyAgent: require('undici/lib/dispatcher/proxy-agent'),
    Socks5ProxyAgent: require('undici/lib/dispatcher/socks5-proxy-agent'),
    buildConnector: require('undici/lib/core/connect'),
  };`;

/** Replaces what a package requires but never uses here: undici's fetch, pg's other sockets, bindings and password file. */
const withoutUnused = {
  name: 'without-unused',
  setup(build) {
    const filter = /\/web\/\w.*$|^pg-(native|cloudflare)$|^pgpass$/;
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'unused' }));
    build.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** Runs undici's HTTP/2, which loads that of Node, at the first connection that speaks it. */
const lateHttp2 = {
  name: 'late-http2',
  setup(build) {
    build.onResolve({ filter: /^\.\/client-h2\.js$/ }, () => ({ path: 'http2', namespace: 'late' }));
    build.onLoad({ filter: /./, namespace: 'late' }, () => ({
      contents: `module.exports = (client, socket) => require('undici/lib/dispatcher/client-h2.js')(client, socket);`,
      resolveDir: root,
    }));
  },
};

/** The rarely needed packages that the program imports, as parts of the executable. */
const packageParts = new Map();

/** Makes each of these packages a part of its own, which is unpacked and compiled at its first import. */
const packedPackages = {
  name: 'packed-packages',
  setup(build) {
    const filter = new RegExp(`^(${rarelyNeeded.join('|')})$`);
    build.onResolve({ filter }, ({ path, kind }) => {
      // Its names would be unknown to import(), and it is late already.
      const isWrong = kind === 'dynamic-import' && UNPACKED_WHEN_USED.has(path);
      return isWrong ? { errors: [{ text: `import ${path} statically` }] } : { path, namespace: 'packed' };
    });
    build.onResolve({ filter: /^\.\//, namespace: 'packed' }, ({ path }) => ({ path, external: true }));
    build.onLoad({ filter: /./, namespace: 'packed' }, async ({ path }) => {
      const isUndici = path === 'undici';
      const { metafile, outputFiles } = await esbuild.build({
        stdin: {
          contents: isUndici ? USED_OF_UNDICI : `module.exports = require(${JSON.stringify(path)});`,
          resolveDir: root,
        },
        plugins: isUndici || path === 'pg' ? [withoutUnused, lateHttp2] : [],
        // Makes undici leave out its experimental parser.
        define: isUndici ? { esbuildDetection: 'true' } : {},
        bundle: true,
        minify: true,
        write: false,
        platform: 'node',
        format: 'cjs',
        target: shared.target,
        legalComments: 'none',
        logLevel: 'warning',
        metafile: true,
      });
      notePackages(metafile);
      const { text } = outputFiles[0];
      const name = `${path.replaceAll(/[^\w-]+/g, '-')}.js`;
      packageParts.set(name, text);
      const names = namesOf(text);
      // Named exports must be listed: import() of a CommonJS module finds only the default.
      const contents = UNPACKED_WHEN_USED.has(path)
        ? `let unpacked;
          for (const name of ${JSON.stringify(names)})
            Object.defineProperty(exports, name, { enumerable: true, get: () => (unpacked ??= require('./${name}'))[name] });`
        : `const unpacked = require('./${name}');
          export default unpacked.__esModule ? unpacked.default : unpacked;
          export const { ${names.join(', ')} } = unpacked;`;
      return { contents, loader: 'js' };
    });
  },
};

/** Commander starts other programs as commands, and opsdeck has none: node:child_process takes milliseconds to load. */
const withoutSubprograms = {
  name: 'without-subprograms',
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('commander') ? { path: 'child_process', namespace: 'absent' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'absent' }, () => ({ contents: 'export default {};' }));
  },
};

/** The parts of prom-client used by the metrics, without clusters, pushes, summaries and OpenTelemetry. */
const usedOfPromClient = {
  name: 'used-of-prom-client',
  setup(build) {
    build.onResolve({ filter: /^prom-client$/ }, ({ path }) => ({ path, namespace: 'used' }));
    build.onLoad({ filter: /./, namespace: 'used' }, () => ({
      contents: `module.exports = { Counter: require('prom-client/lib/counter'), Gauge: require('prom-client/lib/gauge'), Registry: require('prom-client/lib/registry') };`,
      resolveDir: root,
    }));
  },
};

/** Detects HTTP/2 requests by their version: the adaptor's instanceof check would load node:http2. */
const withoutNodeHttp2 = {
  name: 'without-node-http2',
  setup(build) {
    build.onResolve({ filter: /^node:http2$/ }, ({ importer }) =>
      importer.includes('@hono') ? { path: 'http2', namespace: 'version' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'version' }, () => ({
      contents: `
        export const Http2ServerRequest = { [Symbol.hasInstance]: (request) => request?.httpVersionMajor === 2 };
        export const Http2ServerResponse = { [Symbol.hasInstance]: (response) => response?.req?.httpVersionMajor === 2 };
        export const constants = { NGHTTP2_NO_ERROR: 0 };`,
    }));
  },
};

/** Replaces the classes of Node's fetch, see src/kernel/http/web-classes.ts. */
const WEB_CLASSES = {
  inject: ['src/kernel/http/web-classes.ts'],
  define: {
    Headers: 'web.Headers',
    Request: 'web.Request',
    Response: 'web.Response',
    'globalThis.Headers': 'web.Headers',
    global: 'web',
    'globalThis.CloseEvent': 'undefined',
    'globalThis.ErrorEvent': 'undefined',
  },
};

/** Names of the exports of a CommonJS module. */
function namesOf(code) {
  const module = { exports: {} };
  new Function('module', 'exports', 'require', code)(module, module.exports, createRequire(join(root, 'package.json')));
  return Object.keys(module.exports).filter((name) => name !== 'default' && /^[A-Za-z_$][\w$]*$/.test(name));
}

const contentTypes = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

function asset(name, bytes) {
  const type = contentTypes[name.split('.').pop()];
  if (!type) throw new Error(`web asset ${name}: add its content type to build.mjs`);
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
  return {
    type,
    etag,
    size: bytes.length,
    brotli: brotli(bytes).toString('base64'),
  };
}

/**
 * Bundles one folder of web/: every `src="./x.ts"` and `href="./x.css"` of its index.html becomes a bundled, minified file
 * under assets/ with a hash in its name, so that it can be cached indefinitely.
 */
async function bundlePage(folder) {
  let html = readFileSync(join(folder, 'index.html'), 'utf8');
  const files = {};
  for (const [reference, source] of html.matchAll(/"\.\/([\w.-]+\.(?:ts|css))"/g)) {
    const { metafile, outputFiles } = await esbuild.build({
      entryPoints: [join(folder, source)],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      legalComments: 'none',
      loader: { '.svg': 'dataurl' },
      metafile: true,
    });
    notePackages(metafile);
    const bytes = Buffer.from(outputFiles[0].contents);
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
    const name = `assets/${source.replace(/\.(ts|css)$/, '')}-${hash}.${source.endsWith('.ts') ? 'js' : 'css'}`;
    files[name] = asset(name, bytes);
    html = html.replaceAll(reference, `"./${name}"`);
  }
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.svg'))) {
    files[name] = asset(name, readFileSync(join(folder, name)));
  }
  files['index.html'] = asset('index.html', Buffer.from(html));
  return files;
}

/** `virtual:web/<folder>`: a page of web/, declared in src/modules.d.ts; a server loads only its own. */
const bundledPages = new Map();
const webPages = {
  name: 'web-pages',
  setup(build) {
    build.onResolve({ filter: /^virtual:web\// }, ({ path }) => ({ path: path.split('/')[1], namespace: 'web-page' }));
    build.onLoad({ filter: /./, namespace: 'web-page' }, async ({ path }) => {
      // Once for the executable and the tests.
      if (!bundledPages.has(path)) bundledPages.set(path, bundlePage(join(root, 'web', path)));
      const page = JSON.stringify(await bundledPages.get(path));
      return { contents: `export const page = JSON.parse(${JSON.stringify(page)});`, loader: 'js' };
    });
  },
};

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

const { version, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The oldest Node that runs opsdeck: major and minor version. */
const minimum = engines.node
  .match(/^>=(\d+)\.(\d+)$/)
  .slice(1)
  .map(Number);
const shared = {
  bundle: true,
  platform: 'node',
  target: `node${minimum.join('.')}`,
  absWorkingDir: root,
  loader: { '.yml': 'text', '.tmpl': 'text', '.csv': 'text' },
  plugins: [webPages],
  define: {
    OPSDECK_VERSION: JSON.stringify(version),
    OPSDECK_BUILD: JSON.stringify({
      date: new Date().toISOString(),
      revision: git('rev-parse', 'HEAD'),
      branch: git('rev-parse', '--abbrev-ref', 'HEAD'),
    }),
  },
  logLevel: 'warning',
};

/**
 * V8 takes 20 microseconds per kilobyte of code at every start, used or not. So the executable contains all parts of the
 * program as compressed strings, each unpacked and compiled when it is imported.
 */
async function buildExecutable() {
  const outfile = join(root, 'dist/opsdeck.js');
  const { metafile, outputFiles } = await esbuild.build({
    ...shared,
    plugins: [...shared.plugins, packedPackages, withoutSubprograms, usedOfPromClient, withoutNodeHttp2],
    inject: WEB_CLASSES.inject,
    define: { ...shared.define, ...WEB_CLASSES.define },
    entryPoints: ['bin/opsdeck.ts'],
    outdir: join(root, 'dist'),
    format: 'esm',
    splitting: true,
    write: false,
    minify: true,
    metafile: true,
    sourcemap: 'inline',
    legalComments: 'none',
  });
  requireNoCycle(metafile.outputs);
  notePackages(metafile);
  const parts = await Promise.all(outputFiles.map(toCommonJs));
  for (const [name, code] of packageParts) parts.push({ name, code });
  // With a single non-ASCII character V8 stores the text at twice its size; esbuild cannot escape it in a regular expression.
  for (const { name, code } of parts) requireAscii(name, code);
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  mkdirSync(join(root, 'dist/maps'), { recursive: true });
  for (const { name, map } of parts) if (map) writeFileSync(join(root, 'dist/maps', `${name}.map`), map);
  writeFileSync(outfile, printLauncher(parts, new Map()));
  writeFileSync(outfile, printLauncher(parts, await recordCodeCache(outfile)));
  chmodSync(outfile, 0o755);
  mkdirSync(join(root, '.build'), { recursive: true });
  writeFileSync(join(root, '.build/meta.json'), JSON.stringify(metafile));
  writeFileSync(join(root, '.build/packages.json'), JSON.stringify([...packagesInside.keys()].sort(), null, 2));
  const apache = readFileSync(join(root, 'LICENSE'), 'utf8').trim();
  writeFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), printLicences(packagesInside, apache));
  say(`dist/opsdeck.js ${Math.round(statSync(outfile).size / 1024)} KB, ${parts.length} parts`);
}

/**
 * Takes the names of other parts once, as variables: esbuild asks a getter at each use, which makes a call across parts cost
 * several times one within. No two parts may import each other (`requireNoCycle`). Each statement keeps its length, so that the
 * source map stays true.
 */
function bindImports(text) {
  return text.replace(/import\{([^}]*)\}from"(\.\/[^"]+)";/g, (statement, names, part) => {
    const bound = `var{${names.replaceAll(' as ', ':')}}=require("${part}");`;
    return bound.length <= statement.length ? bound.padEnd(statement.length) : statement;
  });
}

function requireNoCycle(outputs) {
  const done = new Set();
  const visit = (part, above) => {
    if (above.includes(part)) throw new Error(`parts that import each other: ${[...above, part].join(', ')}`);
    if (done.has(part)) return;
    for (const { path, kind } of outputs[part]?.imports ?? []) {
      if (kind === 'import-statement' && path in outputs) visit(path, [...above, part]);
    }
    done.add(part);
  };
  for (const part of Object.keys(outputs)) visit(part, []);
}

/** A part of the program as a CommonJS function body, with its source map. */
async function toCommonJs({ path, text }) {
  const { code, map } = await esbuild.transform(bindImports(text), {
    format: 'cjs',
    platform: 'node',
    target: shared.target,
    minify: true,
    sourcemap: 'external',
    sourcefile: path,
    legalComments: 'none',
    supported: { 'dynamic-import': false },
  });
  return { name: path.split(/[\\/]/).at(-1), code, map };
}

function requireAscii(name, code) {
  const beyond = code.search(/[^\0-\x7f]/);
  if (beyond < 0) return;
  const place = code.slice(Math.max(0, beyond - 40), beyond + 4);
  throw new Error(`the executable contains a non-ASCII character; write it as \\uXXXX: ${place} (${name})`);
}

/** What each part is given. */
const PART_NAMES = 'module,exports,require,__filename,__dirname,opsdeckProgram';
/** The V8 that compiles the code cache. */
const ENGINE = process.versions.v8 + process.platform + process.arch;

/**
 * The executable: a loader, and all parts in the comment of a function, from whose source text they are read: V8 skips a
 * comment, but would copy string literals. Threads share one copy of the parts instead of reading the file again. In ES5, so
 * that an old version of Node can report that it is too old.
 */
function printLauncher(parts, codeCache) {
  const opening = 'function packed() {/*';
  let texts = '';
  /** Places the texts in one unit: its start and end, those of the text in it, and its size. */
  const place = (named) => {
    const start = opening.length + texts.length;
    const unit = Buffer.concat(named.map(([, bytes]) => bytes));
    texts += zstd(unit).toString('base64');
    const end = opening.length + texts.length;
    let size = 0;
    return named.map(([name, { length }]) => {
      size += length;
      return [`./${name}`, [start, end, size - length, size, unit.length]];
    });
  };
  const bytesOf = ({ name, code }) => [name, Buffer.from(`(function(${PART_NAMES}){\n${code}\n})`)];
  // What a start needs is one unit, as each takes a tenth of a millisecond to begin.
  const ofStart = parts.filter(({ name }) => codeCache.has(name));
  // These have much in common.
  const ofAmazon = parts.filter(({ name }) => name.startsWith('-aws-sdk-'));
  const others = parts.filter((part) => !codeCache.has(part.name) && !ofAmazon.includes(part));
  const places = Object.fromEntries([
    ...place(ofStart.map(bytesOf)),
    ...place(ofAmazon.map(bytesOf)),
    ...others.flatMap((part) => place([bytesOf(part)])),
  ]);
  const compiled = Object.fromEntries(place([...codeCache]));
  return `#!/usr/bin/env node
"use strict";
var required = [${minimum}], current = process.versions.node.split(".").map(Number);
if (current[0] < required[0] || (current[0] === required[0] && current[1] < required[1])) {
  process.stderr.write("opsdeck needs Node.js ${minimum.join('.')} or newer; this is " + process.versions.node + " (" + process.execPath + ")\\n");
  process.exit(1);
}
// Also the text of threads, where program has all parts as shared bytes. Evaluated apart from this file, whose text can then go.
function start(program, require, textOf) {
  var loaded = {}, units = {};
  function has(table, name) {
    return Object.prototype.hasOwnProperty.call(table, name);
  }
  function unpack(start, end) {
    return textOf ? Buffer.from(textOf(start, end), "base64") : Buffer.from(program.data.packed, start, end - start);
  }
  // Units are held weakly: of no use after the start. Their size keeps Node from taking one buffer after another.
  function read(place) {
    var unit = units[place[0]] && units[place[0]].deref();
    if (!unit) {
      unit = require("node:zlib").zstdDecompressSync(unpack(place[0], place[1]), { chunkSize: place[4] + 64 });
      units[place[0]] = new WeakRef(unit);
    }
    return unit.subarray(place[2], place[3]);
  }
  function share() {
    if (!textOf) return program;
    var data = program.data, ends = {}, moved = {}, texts = [], size = 0;
    Object.keys(data.places).forEach(function (name) {
      var place = data.places[name], unit = ends[place[0]];
      if (!unit) {
        var text = textOf(place[0], place[1]);
        texts.push(text);
        unit = ends[place[0]] = [size, (size += Buffer.byteLength(text, "base64"))];
      }
      moved[name] = unit.concat(place.slice(2));
    });
    var packed = new SharedArrayBuffer(size), bytes = Buffer.from(packed), at = 0;
    texts.forEach(function (text) {
      at += bytes.write(text, at, "base64");
    });
    textOf = undefined;
    units = {};
    program.text = "(" + start + ")(require('node:worker_threads').workerData.program, require)('./opsdeck.js')";
    program.data = { file: data.file, folder: data.folder, places: moved, compiled: {}, packed: packed };
    return program;
  }
  // Modules of Node that take long to load and that a start can do without.
  var late = ["node:crypto", "node:fs/promises", "node:perf_hooks", "node:v8", "node:worker_threads"];
  function whenUsed(name) {
    var module;
    function used() {
      return (module = module || require(name));
    }
    return new Proxy({}, {
      get: function (_, key) {
        return used()[key];
      },
      has: function (_, key) {
        return key in used();
      },
      ownKeys: function () {
        return Reflect.ownKeys(used());
      },
      getOwnPropertyDescriptor: function (_, key) {
        return Object.assign(Object.getOwnPropertyDescriptor(used(), key) || {}, { configurable: true });
      },
    });
  }
  share.isThread = !textOf;
  return function load(name) {
    var data = program.data;
    if (late.indexOf(name) >= 0) return (loaded[name] = loaded[name] || whenUsed(name));
    if (!has(data.places, name)) return require(name);
    if (loaded[name]) return loaded[name].exports;
    var options = { filename: data.file + "/" + name.slice(2), lineOffset: -1 };
    if (has(data.compiled, name)) options.cachedData = read(data.compiled[name]);
    var script = new (require("node:vm").Script)(read(data.places[name]).toString("latin1"), options);
    var part = (loaded[name] = { exports: {} });
    script.runInThisContext()(part, part.exports, load, data.file, data.folder, share);
    return part.exports;
  };
}
// Loading process.stdout would take longer than everything else.
if (process.argv.length === 3 && /^(--version|-V)$/.test(process.argv[2])) {
  try {
    require("node:fs").writeSync(1, "opsdeck ${version}\\n");
  } catch (error) {
    process.exitCode = error.code === "EPIPE" ? 0 : 1;
  }
} else {
  // V8 takes back only what the same version has compiled.
  var compiled = process.versions.v8 + process.platform + process.arch === "${ENGINE}" ? ${JSON.stringify(compiled)} : {};
  var data = { file: __filename, folder: __dirname, places: ${JSON.stringify(places)}, compiled: compiled };
  var textOf = function (start, end) { return packed.toString().slice(start, end); };
  require("node:vm").runInThisContext("(" + start + ")")({ data: data }, require, textOf)("./opsdeck.js");
}
${opening}${texts}*/}
`;
}

const filesWithEnding = (ending) =>
  ['bin', 'src', 'web']
    .flatMap((top) => readdirSync(join(root, top), { recursive: true }).map((file) => `${top}/${file}`))
    .filter((file) => file.endsWith(ending))
    .sort();

/** Bundles the files for Node, with external packages. */
async function buildSuite(entryPoints, outdir) {
  rmSync(outdir, { recursive: true, force: true });
  await esbuild.build({
    ...shared,
    entryPoints,
    outdir,
    outbase: '.',
    format: 'esm',
    splitting: true,
    packages: 'external',
    sourcemap: 'inline',
    outExtension: { '.js': '.mjs' },
  });
  say(`${outdir}: ${entryPoints.length} files`);
}

const bundleOf = (source) => source.replace(/\.ts$/, '.mjs');

/** Writes a module that imports the bundle of each file. */
function writeImports(file, sources) {
  writeFileSync(file, sources.map((source) => `import './${bundleOf(source)}';\n`).join(''));
}

/** Files of test code other than *.test.ts. */
const TEST_CODE = /\/(testing|acceptance|attacks)\//;

/** Makes tested code external, so that a bundle contains only the code of the tests. */
const testCodeAlone = {
  name: 'test-code-alone',
  setup(build) {
    build.onResolve({ filter: /^(\.|virtual:)/ }, ({ path, resolveDir, kind }) =>
      kind === 'entry-point' || TEST_CODE.test(join(resolveDir, path)) ? undefined : { path, external: true },
    );
  },
};

/**
 * Classifies test files: those that start a browser, those that start other processes, and units. Decided by their code after
 * tree shaking, as esbuild removes unused helpers.
 */
async function classify(entryPoints) {
  const { metafile } = await esbuild.build({
    entryPoints,
    outdir: join(root, '.build'),
    outbase: '.',
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    plugins: [testCodeAlone],
    metafile: true,
    write: false,
  });
  const classOf = (names) => {
    if (names.has('playwright-core')) return 'browsers';
    return names.has('node:child_process') ? 'processes' : 'units';
  };
  const classes = { waits: [], units: [], processes: [], browsers: [] };
  for (const { entryPoint, imports } of Object.values(metafile.outputs)) {
    const kind = WAITS.has(entryPoint) ? 'waits' : classOf(new Set(imports.map(({ path }) => path)));
    classes[kind].push(entryPoint);
  }
  return classes;
}

const TEST_RUN = 'src/testing/run/test-run.ts';
const UNTRACKED = 'src/testing/run/untracked.ts';

/** Mostly wait, for real servers that cannot run on a fake clock: the first to start, or the run would end with them. */
const WAITS = new Set([
  'src/alerts/acceptance/cluster/clients.test.ts',
  'src/alerts/acceptance/cluster/suspended.test.ts',
  'src/alerts/acceptance/pipeline-differential.test.ts',
  'src/alerts/cluster/membership.test.ts',
  'src/relay/hostile-upstream.test.ts',
  'src/rooms/nodes/copilot-runs.test.ts',
]);

/** One list of all, evenly mixed: browsers and units compute and servers mostly wait, so that all processors are busy to the end. */
function mix(...classes) {
  const spread = (files) => files.map((file, index) => ({ file, place: index / files.length }));
  return classes
    .flatMap(spread)
    .sort((a, b) => a.place - b.place)
    .map(({ file }) => file);
}

/**
 * Processes for the files of each class. A process for each file would take a tenth of the processor time, and one for all
 * keeps what every test has made, whose collection takes a fifth of the units' time.
 */
const PARTS = { waits: 3, units: 6, processes: 20, browsers: 8 };

const TESTS = join(root, '.build/tests');

async function buildTests() {
  if (namedFiles.length > 0) return buildSuite([...namedFiles, TEST_RUN], TESTS);
  const files = filesWithEnding('.test.ts');
  const gone = [...WAITS].find((file) => !files.includes(file));
  if (gone) throw new Error(`WAITS of build.mjs names ${gone}, which does not exist`);
  const [classes] = await Promise.all([classify(files), buildSuite([...files, TEST_RUN, UNTRACKED], TESTS)]);
  /** Writes modules that import the files of a class in turn; returns their names. */
  const joinFiles = ([kind, parts]) =>
    Array.from({ length: parts }, (_, part) => {
      const file = `${kind}-${part + 1}.mjs`;
      writeImports(join(TESTS, file), [UNTRACKED, ...classes[kind].filter((_, index) => index % parts === part)]);
      return file;
    });
  const [waits, ...others] = Object.entries(PARTS).map(joinFiles);
  writeFileSync(join(TESTS, 'suite.json'), JSON.stringify([...waits, ...mix(...others)]));
  say(JSON.stringify(Object.fromEntries(Object.entries(classes).map(([kind, files]) => [kind, files.length]))));
}

async function buildBenches() {
  const outdir = join(root, '.build/benches');
  const files = filesWithEnding('.bench.ts');
  await buildSuite(files, outdir);
  writeImports(join(outdir, 'all.mjs'), files);
}

const unknown = namedFiles.find((file) => !filesWithEnding('.test.ts').includes(file));
if (unknown) {
  process.stderr.write(`unknown test file ${unknown}; name files such as src/kernel/clock.test.ts\n`);
  process.exit(1);
}
await Promise.all([buildExecutable(), flags.has('--test') && buildTests()]);
if (flags.has('--test')) {
  const run = [join(TESTS, bundleOf(TEST_RUN)), ...namedFiles];
  process.exitCode = spawnSync(process.execPath, run, { stdio: 'inherit' }).status ?? 1;
}
if (flags.has('--benches')) await buildBenches();
