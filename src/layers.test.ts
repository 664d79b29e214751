import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import * as esbuild from 'esbuild';

// The import law, read off what esbuild resolved, without type-only imports, which do not exist at run time.

interface Rule {
  readonly law: string;
  /** Which importing files it speaks of. */
  readonly from: RegExp;
  /** What these may not import: a path in the repository, or the name of a package. */
  readonly forbidden: RegExp;
  /** Exceptions. */
  readonly except?: RegExp;
}

const SERVERS = ['alerts', 'relay', 'dashboard', 'rooms'];

/** Folders of the alert server: each imports none that stands behind it. */
const ALERT_LAYERS = ['listing-pages', 'store', 'silences', 'inhibition', 'pipeline', 'listing', 'state', 'metrics'];

const RULES: readonly Rule[] = [
  {
    law: 'a domain imports its own domain, node:crypto, and regular expressions and outcomes as part of the language',
    from: /^src\/\w+\/domain\//,
    forbidden: /./,
    except: /^(src\/\w+\/domain\/|node:crypto$|src\/kernel\/(regexp\/regexp|outcome)\.ts$)/,
  },
  {
    law: 'only routes, kernel and composition roots import hono',
    from: /^src\/(?!kernel\/|\w+\/routes\/|\w+\/server\.ts)/,
    forbidden: /^hono/,
  },
  {
    law: 'a store or part never imports routes',
    from: /^src\/\w+\/(?!routes\/|composition\/|server\.ts)/,
    forbidden: /^src\/\w+\/routes\//,
  },
  {
    law: 'routes do no I/O',
    from: /^src\/\w+\/routes\//,
    forbidden: /^(node:fs|node:net|node:http$|src\/kernel\/http-client\/|node:sqlite$)/,
  },
  {
    law: 'only a command imports a server, and `up` all of them in one file',
    from: /^(src|bin|web)\/(?!\w+\/command\.ts|hub\/servers\.ts)/,
    forbidden: /^src\/\w+\/server\.ts$/,
    except: /^src\/kernel\/http\/server\.ts$/,
  },
  { law: 'the kernel imports no server', from: /^src\/kernel\//, forbidden: /^src\/(?!kernel\/)/ },
  {
    law: 'better-sse stands in kernel/sse/frame.ts alone',
    from: /^(?!src\/kernel\/sse\/frame\.ts)/,
    forbidden: /^better-sse/,
  },
  {
    law: 'SQLite stands in kernel/storage/database.ts alone',
    from: /^(?!src\/kernel\/storage\/database\.ts)/,
    forbidden: /^node:sqlite$/,
  },
  {
    law: 'commander stands in cli.ts, command.ts and the readers of flags',
    from: /^(?!src\/cli\.ts|.*\/command\.ts|src\/kernel\/terminal\/flags\.ts)/,
    forbidden: /^commander$/,
  },
  {
    law: 'OpenTelemetry stands in kernel/tracing alone',
    from: /^src\/(?!kernel\/tracing\/)/,
    forbidden: /^@opentelemetry\//,
  },
  {
    law: 'undici stands in kernel/http-client alone',
    from: /^(?!src\/kernel\/http-client\/)/,
    forbidden: /^undici$/,
  },
  {
    law: 'pg stands in kernel/postgres alone',
    from: /^(?!src\/kernel\/postgres\/)/,
    forbidden: /^pg$/,
  },
  {
    law: 'ky stands in the clients of the terminal alone',
    from: /^(?!src\/\w+\/terminal\/)/,
    forbidden: /^ky$/,
  },
  {
    law: 'web imports web, the dashboard domain and types',
    from: /^web\//,
    forbidden: /./,
    except: /^(web\/|src\/dashboard\/domain\/|chart\.js|chartjs-plugin-annotation|marked$|dompurify$)/,
  },
  {
    law: 'marked and DOMPurify stand in web/rooms/message alone: where Markdown is parsed, and where it is sanitised',
    from: /^(?!web\/rooms\/message\/(markdown|bounded-lexer|body)\.ts)/,
    forbidden: /^(marked|dompurify)$/,
  },
  {
    law: 'Chart.js stands in web/dashboard/charts alone',
    from: /^(?!web\/dashboard\/charts\/)/,
    forbidden: /^chart(\.js|js-)/,
  },
  { law: 'nothing but tests and benches imports testing', from: /./, forbidden: /^src\/(\w+\/)?testing\// },
];

/** Every import of the program and its pages as [importer, imported], both relative to the root or a package's name. */
async function readImports(): Promise<readonly (readonly [string, string])[]> {
  const common = {
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    logLevel: 'silent',
    outdir: 'unused',
  } as const;
  const program = await esbuild.build({
    ...common,
    entryPoints: ['bin/opsdeck.ts'],
    platform: 'node',
    format: 'cjs',
    loader: { '.yml': 'text', '.tmpl': 'text', '.csv': 'text' },
    external: ['virtual:web/*'],
  });
  const pages = await esbuild.build({
    ...common,
    entryPoints: [
      'alerts/main',
      'hub/main',
      'dashboard/main',
      'dashboard/worker',
      'dashboard/charts-chunk',
      'rooms/main',
      'relay/main',
    ].map((page) => `web/${page}.ts`),
    format: 'esm',
  });
  return [program, pages].flatMap(({ metafile }) =>
    Object.entries(metafile.inputs).flatMap(([from, { imports }]) => imports.map(({ path }) => [from, path] as const)),
  );
}

const imports = readImports();

function violations(rule: Rule, edges: readonly (readonly [string, string])[]): readonly string[] {
  return edges
    .filter(([from, to]) => rule.from.test(from) && rule.forbidden.test(to) && !rule.except?.test(to))
    .map(([from, to]) => `${from} → ${to}`);
}

for (const rule of RULES) {
  test(`import law: ${rule.law}`, async () => {
    assert.deepEqual(violations(rule, await imports), []);
  });
}

test('import law: servers never import each other', async () => {
  const across = (await imports).filter(([from, to]) =>
    SERVERS.some(
      (server) =>
        from.startsWith(`src/${server}/`) &&
        SERVERS.some((other) => other !== server && to.startsWith(`src/${other}/`)),
    ),
  );
  assert.deepEqual(across, []);
});

test('import law: the folders of the alert server are layers', async () => {
  const layerOf = (path: string) => ALERT_LAYERS.indexOf(/^src\/alerts\/([\w-]+)\//.exec(path)?.[1] ?? '');
  const between = (await imports).filter(([from, to]) => layerOf(from) >= 0 && layerOf(to) >= 0);
  assert.deepEqual(
    between.filter(([from, to]) => layerOf(to) > layerOf(from)),
    [],
  );
  assert.ok(between.some(([from, to]) => layerOf(to) < layerOf(from)));
});

test('import law: the imports were found', async () => {
  const edges = await imports;
  assert.ok(edges.some(([from, to]) => from === 'src/alerts/server.ts' && to === 'src/alerts/config/active-config.ts'));
  assert.ok(edges.length > 200, `only ${edges.length} imports`);
  assert.deepEqual(violations({ law: '', from: /^bin\//, forbidden: /^src\// }, edges).length > 0, true);
});

const MAX_FILES = 25;
/** More files than this with the same first word in their names belong in a folder of that name. */
const MAX_SAME_PREFIX = 3;

/** Source files by folder: tests, benches and their data are not counted. */
function sourceFolders(): ReadonlyMap<string, readonly string[]> {
  const files = ['bin', 'src', 'web'].flatMap((top) =>
    readdirSync(top, { recursive: true, encoding: 'utf8' }).map((file) => `${top}/${file.replaceAll('\\', '/')}`),
  );
  const sources = files.filter((file) => /\.(ts|css)$/.test(file) && !/\.(test|bench)\.ts$|\/testdata\//.test(file));
  return Map.groupBy(sources, (file) => dirname(file));
}

test('a folder holds at most 25 source files', () => {
  const large = [...sourceFolders()].filter(([, files]) => files.length > MAX_FILES).map(([folder]) => folder);
  assert.deepEqual(large, []);
});

test('a repeated prefix is a folder', () => {
  const repeated = [...sourceFolders()].flatMap(([folder, files]) => {
    const byPrefix = Map.groupBy(files, (file) => basename(file).split(/[-.]/)[0]);
    return [...byPrefix].filter(([, same]) => same.length > MAX_SAME_PREFIX).map(([prefix]) => `${folder}/${prefix}-*`);
  });
  assert.deepEqual(repeated, []);
});

/** Every import of a test helper as [importing area, helper]: an area is a server, or a folder of src/ or web/. */
function helperImports(): readonly (readonly [string, string])[] {
  const files = ['src', 'web'].flatMap((top) =>
    readdirSync(top, { recursive: true, encoding: 'utf8' }).map((file) => `${top}/${file}`),
  );
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g)]
        .map(([, path = '']) => join(dirname(file), path))
        .filter((path) => path.startsWith('src/testing/'))
        .map((path) => [file.split('/')[1] ?? '', path] as const),
    );
}

test('a helper of only one server lies in the testing folder of that server', () => {
  const users = Map.groupBy(helperImports(), ([, helper]) => helper);
  const misplaced = [...users].filter(([, imports]) => {
    const areas = [...new Set(imports.map(([area]) => area))];
    return areas.length === 1 && SERVERS.includes(areas[0] ?? '');
  });
  assert.deepEqual(
    misplaced.map(([helper]) => helper),
    [],
  );
});
