import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export interface TarEntry {
  readonly name: string;
  readonly content: string | Buffer;
  /** By default a regular file. */
  readonly type?: string;
  /** Size in the header, if different from the length of the content. */
  readonly size?: number;
}

/** A ustar archive; names have at most 100 bytes. */
export function packTar(entries: readonly TarEntry[], end: Buffer = Buffer.alloc(1024)): Buffer {
  return Buffer.concat([...entries.flatMap(packEntry), end]);
}

function packEntry({ name, content, type = '0', size }: TarEntry): readonly Buffer[] {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${(size ?? bytes.length).toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\0', 257);
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
}

export interface ArchivedSample {
  readonly id: string;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly dataId?: string;
  readonly data?: unknown;
}

/** The files of an offline archive of these environments, with their checksum. */
export function archiveEntries(samples: readonly ArchivedSample[]): TarEntry[] {
  const entries = samples.flatMap(({ id, env, dataId = 'data-1', data = { flags: {}, segments: {} } }) => [
    { name: `${id}.json`, content: JSON.stringify({ env: sampleEnv(id, env), dataId }) },
    { name: `${id}-data.json`, content: JSON.stringify(data) },
  ]);
  const hash = createHash('md5');
  const byName = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { content } of byName) hash.update(content);
  return [...entries, { name: 'checksum.md5', content: hash.digest() }];
}

/** An offline archive in LaunchDarkly's format: `.tar.gz`. */
export function packArchive(samples: readonly ArchivedSample[]): Buffer {
  return gzipSync(packTar(archiveEntries(samples)));
}

function sampleEnv(id: string, env: ArchivedSample['env']): Record<string, unknown> {
  return {
    envID: id,
    envKey: 'production',
    envName: 'Production',
    projKey: 'shop',
    projName: 'Shop',
    sdkKey: { value: `sdk-${id}` },
    mobKey: `mob-${id}`,
    defaultTtl: 0,
    secureMode: false,
    version: 1,
    ...env,
  };
}
