import { readFileSync } from 'node:fs';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { accepted, type Outcome } from '../../kernel/outcome.ts';
import type { SourceKind, SwitchAnswer, SwitchObstacle } from '../contract/page.ts';
import { isJsonObject } from '../domain/json.ts';
import type { Environment } from '../environment.ts';
import { readDocument } from '../file-source/document.ts';
import { planSwitch } from '../file-source/edit/flag-change.ts';
import { editFlagFile } from '../file-source/edit/flag-file-edit.ts';
import { findFlagFiles } from '../file-source/files.ts';
import type { Journal } from '../journal/journal.ts';

/**
 * `read-only`: the source of the flag cannot be changed here; `unknown`: there is no such flag; `conflict`: the flag or its file
 * has changed meanwhile; `failed`: the file cannot be read or written.
 */
export interface SwitchFault {
  readonly kind: 'read-only' | 'unknown' | 'conflict' | 'failed';
  readonly reason: string;
}

export interface WantedSwitch {
  readonly isOn: boolean;
  /** The version of the flag that the user saw. */
  readonly version: number;
  /** Empty: none. */
  readonly comment: string;
}

export interface FlagSwitchParts {
  readonly sourceKind: (environment: Environment) => SourceKind;
  readonly journal: (environment: Environment) => Journal;
  readonly clock: Clock;
  readonly log: Log;
}

/** Within it the relay normally serves a changed file. */
const SERVED_MS = 3000;

/** Switches flags of files on and off. */
export class FlagSwitch {
  readonly #parts: FlagSwitchParts;

  constructor(parts: FlagSwitchParts) {
    this.#parts = parts;
  }

  /** Why a flag cannot be switched; undefined if it can. */
  obstacle(environment: Environment, key: string): SwitchObstacle | undefined {
    const kind = this.#parts.sourceKind(environment);
    if (kind !== 'file') return kind;
    return isValue(environment.options.dataFile ?? '', key) ? 'value' : undefined;
  }

  /** Changes the file, and resolves when the relay serves the change. */
  async switch(
    environment: Environment,
    key: string,
    wanted: WantedSwitch,
  ): Promise<Outcome<SwitchAnswer, SwitchFault>> {
    const { sourceKind, journal, log } = this.#parts;
    const { dataFile, name } = environment.options;
    const flag = environment.store.flag(key)?.flag;
    const title = `flag ${JSON.stringify(key)}`;
    if (!flag) return fault('unknown', `unknown ${title}`);
    if (sourceKind(environment) !== 'file' || dataFile === undefined)
      return fault('read-only', `${title} is not in a file of this relay: change it where it comes from`);
    const conflict = `${title} has changed meanwhile; look at it and repeat the change`;
    if (flag.version !== wanted.version) return fault('conflict', conflict);
    const { isOn, comment } = wanted;
    const takeBack = comment === '' ? () => {} : journal(environment).changes.comment(key, comment);
    const served = this.#untilServed(environment, key, isOn);
    const changed = editFlagFile(dataFile, (root) => {
      const plan = planSwitch(root, key, isOn);
      // The file may already have a state that the relay does not serve yet.
      return plan?.ok && plan.value.before !== (flag.on ? 'on' : 'off') ? { ok: false, reason: conflict } : plan;
    });
    if (!changed.ok || changed.value.edits.length === 0) {
      takeBack();
      served.cancel();
    }
    if (!changed.ok) return fault(FAULTS[changed.kind], changed.reason);
    const { file, edits } = changed.value;
    if (edits.length === 0) return accepted({ file, version: flag.version });
    log.info('A flag was switched on the page', { env: name, flag: key, on: isOn, file, comment });
    const version = await served.version;
    return accepted({ file, version });
  }

  /** The version of the flag once it is served with this state; null if that takes too long. */
  #untilServed({ store }: Environment, key: string, isOn: boolean) {
    let settle: (version: number | null) => void = () => {};
    const version = new Promise<number | null>((resolve) => {
      settle = resolve;
    });
    const check = () => {
      const flag = store.flag(key)?.flag;
      if (flag?.on === isOn) end(flag.version);
    };
    const unsubscribe = store.subscribe({ replaced: check, changed: check, removed: check });
    const cancelTimer = this.#parts.clock.after(SERVED_MS, () => end(null));
    const end = (found: number | null) => {
      unsubscribe();
      cancelTimer();
      settle(found);
    };
    return { version, cancel: () => end(null) };
  }
}

const FAULTS = { invalid: 'conflict', unknown: 'conflict', conflict: 'conflict', failed: 'failed' } as const;

function fault(kind: SwitchFault['kind'], reason: string): { readonly ok: false } & SwitchFault {
  return { ok: false, kind, reason };
}

/** Whether a file has only the value of the flag. */
function isValue(path: string, key: string): boolean {
  try {
    return findFlagFiles(path).paths.some((file) => {
      const document = readDocument(file, readFileSync(file, 'utf8'));
      const root = document.ok ? document.value.value : undefined;
      return isJsonObject(root) && isJsonObject(root.flagValues) && Object.hasOwn(root.flagValues, key);
    });
  } catch {
    return false;
  }
}
