import { open, realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { systemCodeOf } from '../../kernel/errors.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';

/** The largest key file, in bytes; a key has at most 512 characters. */
const MAX_BYTES = 4_096;
const VARIABLE = /^OPSDECK_COPILOT_[A-Z0-9_]{1,100}$/;
const KEY = /^[\x21-\x7e]{1,512}$/;

export interface SecretSourceParts {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The folder of readable files; `undefined`: none may be read. */
  readonly folder: string | undefined;
}

/** Reads keys from outside the server: `env:OPSDECK_COPILOT_…` and `file:…`. A refusal never quotes the content. */
export class SecretSource {
  readonly #parts: SecretSourceParts;

  constructor(parts: SecretSourceParts) {
    this.#parts = parts;
  }

  async read(reference: string): Promise<Outcome<string>> {
    const [kind = '', ...rest] = reference.split(':');
    const name = rest.join(':');
    const found = kind === 'env' ? this.#readVariable(name) : kind === 'file' ? await this.#readFile(name) : undefined;
    if (!found) return refuse('invalid_body', `secretRef: ${kind}: is neither env: nor file:`);
    if (!found.ok) return found;
    const key = found.value.trim();
    return KEY.test(key)
      ? accepted(key)
      : refuse('invalid_body', `secretRef: ${reference} holds no key: one line of printable ASCII without spaces`);
  }

  #readVariable(name: string): Outcome<string> {
    const value = VARIABLE.test(name) ? this.#parts.variables[name] : undefined;
    return value ? accepted(value) : refuse('invalid_body', `secretRef: the environment variable ${name} is not set`);
  }

  async #readFile(name: string): Promise<Outcome<string>> {
    const { folder } = this.#parts;
    if (folder === undefined)
      return refuse('invalid_body', 'secretRef: the server was started without --secrets-dir, so it reads no files');
    const reference = `secretRef: file:${name}`;
    try {
      // Links are resolved before the check.
      const [root, path] = await Promise.all([realpath(folder), realpath(resolve(folder, name))]);
      if (!path.startsWith(root + sep))
        return refuse('invalid_body', `${reference} leads out of the directory of secrets`);
      const file = await open(path, 'r');
      try {
        const stats = await file.stat();
        if (!stats.isFile() || stats.size > MAX_BYTES) return refuse('invalid_body', `${reference} is no small file`);
        return accepted(await file.readFile('utf8'));
      } finally {
        await file.close();
      }
    } catch (error) {
      return refuse('invalid_body', `${reference} cannot be read (${systemCodeOf(error) ?? 'unknown error'})`);
    }
  }
}
