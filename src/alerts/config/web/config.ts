import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import type { RequestRules } from '../../../kernel/http/server-guard.ts';
import { checkTls, type TlsSettings } from '../../../kernel/http/tls-front.ts';
import type { Log } from '../../../kernel/log.ts';
import { readRegularFileSync } from '../../../kernel/storage/regular-file.ts';
import { ConfigFault, ConfigNode } from '../config-node.ts';
import { type TlsServerConfig, type WebConfig, webConfig } from './schema.ts';

/** The part of a web configuration file for `listen`. Both throw while the files are unusable, and log it. */
export interface WebProtection {
  readonly rules: () => RequestRules;
  /** Undefined when the file has no TLS part; decided once. */
  readonly tls: (() => TlsSettings) | undefined;
}

/**
 * Reads a web configuration file and its certificates, and reads them again after a change. Throws a CommandError when
 * they are unusable at the start.
 */
export function openWebConfig(path: string, log: Log): WebProtection {
  const config = new FromFiles(
    () => [path],
    () => readWebConfig(path),
  );
  const rules = new FromFiles(
    () => [path],
    () => rulesOf(config.get()),
  );
  const tls = new FromFiles(
    () => [path, ...tlsFiles(config.get())],
    () => tlsOf(config.get()),
  );
  rules.get();
  const hasTls = isTls(config.get());
  if (hasTls) tls.get();
  const said = new LastMessage((message) => log.error('the web configuration cannot be used', { err: message }));
  return { rules: () => said.of(() => rules.get()), tls: hasTls ? () => said.of(() => tls.get()) : undefined };
}

/** A value made from files, made again when one of them changes. Errors are kept as well. */
class FromFiles<T> {
  readonly #paths: () => readonly string[];
  readonly #make: () => T;
  #state = '';
  #made: { readonly value: T } | { readonly error: unknown } | undefined;

  constructor(paths: () => readonly string[], make: () => T) {
    this.#paths = paths;
    this.#make = make;
  }

  get(): T {
    // Before reading, so that a change meanwhile is noticed next time.
    const state = this.#paths().map(stateOf).join();
    if (!this.#made || state !== this.#state) {
      this.#state = state;
      this.#made = attempt(this.#make);
    }
    if ('error' in this.#made) throw this.#made.error;
    return this.#made.value;
  }
}

function attempt<T>(make: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: make() };
  } catch (error) {
    return { error };
  }
}

/** Changes with the file. */
function stateOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    return systemCodeOf(error) ?? 'unknown';
  }
}

/** Logs a message once, and again after another one or after a success. */
class LastMessage {
  readonly #say: (message: string) => void;
  #last = '';

  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  of<T>(act: () => T): T {
    try {
      const value = act();
      this.#last = '';
      return value;
    } catch (error) {
      const message = messageOf(error);
      if (message !== this.#last) this.#say(message);
      this.#last = message;
      throw error;
    }
  }
}

function fault(path: string, error: unknown): CommandError {
  return new CommandError(`${path}: ${messageOf(error)}`, ExitCode.failed, { cause: error });
}

/** Paths in the file are relative to its folder. */
function readWebConfig(path: string): WebConfig {
  try {
    const root = ConfigNode.parse(readRegularFileSync(path));
    // Without its users, everyone would be admitted.
    if (root.idleLine !== undefined)
      throw new ConfigFault([
        { line: root.idleLine, message: 'another YAML document begins here: write all of it into one' },
      ]);
    const config = webConfig.read(root.isNothing ? ConfigNode.parse('{}') : root);
    const { tlsServerConfig: tls } = config;
    if (!tls) return config;
    const resolve = (file: string) => (file === '' || isAbsolute(file) ? file : join(dirname(path), file));
    const files = {
      certFile: resolve(tls.certFile),
      keyFile: resolve(tls.keyFile),
      clientCaFile: resolve(tls.clientCaFile),
    };
    return { ...config, tlsServerConfig: { ...tls, ...files } };
  } catch (error) {
    throw fault(path, error);
  }
}

function rulesOf({ httpServerConfig, basicAuthUsers, rateLimit }: WebConfig): RequestRules {
  return {
    headers: Object.fromEntries(
      Object.entries(httpServerConfig?.headers ?? {}).map(([name, value]) => [name, inOneLine(value)]),
    ),
    users: new Map(Object.entries(basicAuthUsers)),
    rateLimit: rateLimit && { burst: rateLimit.burst, intervalMs: rateLimit.interval },
  };
}

/** As Go sends it. */
function inOneLine(value: string): string {
  return value.replace(/[\r\n]/g, ' ').trim();
}

function isTls({ tlsServerConfig: tls }: WebConfig): boolean {
  if (!tls) return false;
  const { cert, certFile, key, keyFile, clientCa, clientCaFile, clientAuthType } = tls;
  return (
    [cert, certFile, key, keyFile, clientCa, clientCaFile].some((part) => part !== '') || clientAuthType !== undefined
  );
}

function tlsFiles({ tlsServerConfig: tls }: WebConfig): readonly string[] {
  return tls ? [tls.certFile, tls.keyFile, tls.clientCaFile].filter((file) => file !== '') : [];
}

function tlsOf({ tlsServerConfig: tls, httpServerConfig }: WebConfig): TlsSettings {
  if (!tls?.certFile && !tls?.cert) throw unusable('missing one of cert or cert_file');
  if (!tls.keyFile && !tls.key) throw unusable('missing one of key or key_file');
  const settings = { ...settingsOf(tls), offersHttp2: httpServerConfig?.http2 ?? true };
  try {
    checkTls(settings);
  } catch (error) {
    throw unusable(`certificate and key cannot be used: ${messageOf(error)}`);
  }
  if (settings.clientCa !== undefined && settings.clientCertificates === 'none')
    throw unusable("client CA's have been configured without a Client Auth Policy");
  // No client would need a certificate, and everyone would be admitted.
  if (settings.clientNames !== undefined && settings.clientCertificates === 'none')
    throw unusable(
      'client_allowed_sans requires client_auth_type to be one of RequireAnyClientCert or RequireAndVerifyClientCert',
    );
  return settings;
}

function unusable(reason: string): CommandError {
  return new CommandError(`tls_server_config: ${reason}`, ExitCode.failed);
}

function settingsOf(tls: TlsServerConfig): TlsSettings {
  return {
    cert: readPart('cert_file', tls.certFile, tls.cert),
    key: readPart('key_file', tls.keyFile, tls.key),
    clientCertificates: tls.clientAuthType ?? 'none',
    // A file without authorities trusts no client; no file is different.
    clientCa: tls.clientCaFile || tls.clientCa ? readPart('client_ca_file', tls.clientCaFile, tls.clientCa) : undefined,
    clientNames: tls.clientAllowedSans,
    minVersion: tls.minVersion,
    maxVersion: tls.maxVersion,
    ciphers: tls.cipherSuites.length > 0 ? ciphersOf(tls.cipherSuites) : undefined,
    curves: tls.curvePreferences.length > 0 ? tls.curvePreferences.join(':') : undefined,
    prefersOwnCiphers: tls.preferServerCipherSuites,
  };
}

/** A file takes precedence over the text in the configuration. */
function readPart(field: string, path: string, inline: string): string {
  if (path === '') return inline;
  try {
    return readRegularFileSync(path);
  } catch (error) {
    throw unusable(`failed to read ${field} (${path}): ${messageOf(error)}`);
  }
}

/** In Go the suites of TLS 1.3 cannot be chosen. */
function ciphersOf(chosen: readonly string[]): string {
  const always = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
  return [...always, ...chosen.filter((cipher) => !always.includes(cipher))].join(':');
}
