import type { LabelSet } from '../domain/label-set.ts';

const [P1, P2, P3, P4, P5] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const;

const wrap = (value: bigint) => BigInt.asUintN(64, value);
const rotate = (value: bigint, bits: bigint) => wrap(value << bits) | (value >> (64n - bits));
const round = (lane: bigint, input: bigint) => wrap(rotate(wrap(lane + input * P2), 31n) * P1);

/** XXH64 with the seed 0. Source: the specification of xxHash. */
export function xxHash64(bytes: Buffer): bigint {
  const { length } = bytes;
  let at = 0;
  let hash: bigint = P5;
  if (length >= 32) {
    const lanes = [wrap(P1 + P2), P2, 0n, wrap(-P1)];
    for (; at + 32 <= length; at += 32) {
      for (let lane = 0; lane < 4; lane++) {
        lanes[lane] = round(lanes[lane] as bigint, bytes.readBigUInt64LE(at + lane * 8));
      }
    }
    hash = lanes.reduce((sum, lane, index) => wrap(sum + rotate(lane, [1n, 7n, 12n, 18n][index] as bigint)), 0n);
    for (const lane of lanes) hash = wrap((hash ^ round(0n, lane)) * P1 + P4);
  }
  hash = wrap(hash + BigInt(length));
  for (; at + 8 <= length; at += 8) {
    hash = wrap(rotate(hash ^ round(0n, bytes.readBigUInt64LE(at)), 27n) * P1 + P4);
  }
  for (; at + 4 <= length; at += 4) {
    hash = wrap(rotate(hash ^ wrap(BigInt(bytes.readUInt32LE(at)) * P1), 23n) * P2 + P3);
  }
  for (; at < length; at++) hash = wrap(rotate(hash ^ wrap(BigInt(bytes[at] as number) * P5), 11n) * P1);
  hash = wrap((hash ^ (hash >> 33n)) * P2);
  hash = wrap((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}

const known = new WeakMap<LabelSet, string>();
const SEPARATOR = Buffer.from([0xff]);

/** The hash of an alert's labels in Alertmanager's notification log, as a decimal number. */
export function alertHash(labels: LabelSet): string {
  let hash = known.get(labels);
  if (hash === undefined) {
    const parts = labels.names.flatMap((name, index) => [
      Buffer.from(name),
      SEPARATOR,
      Buffer.from(labels.values[index] as string),
      SEPARATOR,
    ]);
    hash = String(xxHash64(Buffer.concat(parts)));
    known.set(labels, hash);
  }
  return hash;
}
