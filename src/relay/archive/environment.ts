import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { DataSink } from '../data-source.ts';
import { isJsonObject } from '../domain/json.ts';
import {
  type ListDefaults,
  type RepresentedEnvironment,
  readRepresentation,
} from '../environment-list/representation.ts';
import { type FlagData, readFlagData } from '../flag-store.ts';
import type { EnvironmentFiles } from './files.ts';

/** An environment of an offline archive. Stays the same object when the archive is read again without changes to it. */
export interface ArchivedEnvironment extends RepresentedEnvironment {
  /** Changes with the data. */
  readonly dataId: string;
  /** Parses the flags and segments at each call, so that they need not be held in memory. */
  readData(): Outcome<FlagData>;
}

/** Reads the metadata of an environment. Source: ld-relay's internal/filedata. */
export function readArchivedEnvironment(
  { id, metadata, data }: EnvironmentFiles,
  defaults: ListDefaults = {},
): Outcome<ArchivedEnvironment> {
  const json = parse(metadata);
  if (!isJsonObject(json) || !isJsonObject(json.env)) return refused(`${id}.json has no environment`);
  const read = readRepresentation(json.env, id, defaults);
  if (!read.ok) return refused(`the environment of ${id}.json cannot be used: ${read.reason}`);
  const dataId = typeof json.dataId === 'string' ? json.dataId : '';
  return accepted({ ...read.value, dataId, readData: () => readFlagData(parse(data)) });
}

/** Replaces the data in the store; refused if broken, with the store unchanged. */
export function applyArchivedData(
  environment: ArchivedEnvironment,
  { store, connection }: DataSink,
  now: number,
): Outcome<void> {
  const data = environment.readData();
  if (!data.ok) return data;
  const replaced = store.replace(data.value);
  if (replaced.ok) connection.succeeded(now);
  return replaced;
}

function parse(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined;
  }
}
