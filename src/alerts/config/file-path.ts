import { isAbsolute, join } from 'node:path';
import type { GlobalConfig } from './global-config.ts';
import type { HttpConfig, HttpHeaders, TlsConfig } from './http-config.ts';
import type { EventRecorderConfig, TracingConfig } from './telemetry-config.ts';

/** Resolves a path of the configuration file against its folder. */
export function fromFolder(folder: string, path: string): string {
  return path === '' || isAbsolute(path) ? path : join(folder, path);
}

/** Resolves these fields against the folder, where they are set. */
function withPaths<T extends object>(value: T, folder: string, ...fields: readonly (keyof T)[]): T {
  const paths = fields
    .filter((field) => typeof value[field] === 'string')
    .map((field) => [field, fromFolder(folder, value[field] as string)]);
  return { ...value, ...Object.fromEntries(paths) };
}

function resolveTlsFiles(tls: TlsConfig, folder: string): TlsConfig {
  return withPaths(tls, folder, 'caFile', 'certFile', 'keyFile');
}

/** Resolves the file paths of an HTTP configuration. */
function resolveHttpFiles(http: HttpConfig, folder: string): HttpConfig {
  const { basicAuth, authorization, oauth2, tlsConfig, httpHeaders } = http;
  return {
    ...http,
    basicAuth: basicAuth && withPaths(basicAuth, folder, 'usernameFile', 'passwordFile'),
    authorization: authorization && withPaths(authorization, folder, 'credentialsFile'),
    oauth2: oauth2 && {
      ...withPaths(oauth2, folder, 'clientSecretFile', 'clientCertificateKeyFile'),
      tlsConfig: oauth2.tlsConfig && resolveTlsFiles(oauth2.tlsConfig, folder),
    },
    tlsConfig: tlsConfig && resolveTlsFiles(tlsConfig, folder),
    httpHeaders: httpHeaders && resolveHeaderFiles(httpHeaders, folder),
  };
}

function resolveHeaderFiles(headers: HttpHeaders, folder: string): HttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => {
      return [name, { ...header, files: header.files.map((path) => fromFolder(folder, path)) }];
    }),
  );
}

/** Resolves the file paths of the tracing section. */
export function resolveTracingFiles(tracing: TracingConfig, folder: string): TracingConfig {
  const { tlsConfig, headers } = tracing;
  return {
    ...tracing,
    tlsConfig: tlsConfig && resolveTlsFiles(tlsConfig, folder),
    headers: headers && resolveHeaderFiles(headers, folder),
  };
}

/** Resolves the file paths of the event recorder. */
export function resolveEventFiles(recorder: EventRecorderConfig, folder: string): EventRecorderConfig {
  return {
    ...recorder,
    fileOutputs: recorder.fileOutputs.map(({ path }) => ({ path: fromFolder(folder, path) })),
    webhookOutputs: recorder.webhookOutputs.map((output) => ({
      ...output,
      httpConfig: output.httpConfig && resolveHttpFiles(output.httpConfig, folder),
    })),
  };
}

export function resolveGlobalFiles(global: GlobalConfig, folder: string): GlobalConfig {
  return {
    ...global,
    httpConfig: global.httpConfig && resolveHttpFiles(global.httpConfig, folder),
    smtpTlsConfig: global.smtpTlsConfig && resolveTlsFiles(global.smtpTlsConfig, folder),
  };
}

/**
 * Resolves the file paths in an integration's `http_config` and `tls_config` against the folder. Its other paths stay
 * relative to the working directory. Source: Alertmanager's documentation and config.
 */
export function resolveIntegrationFiles(config: unknown, global: GlobalConfig, folder: string): unknown {
  const { httpConfig, tlsConfig } = config as { httpConfig?: HttpConfig; tlsConfig?: TlsConfig };
  return {
    ...(config as object),
    ...(httpConfig && httpConfig !== global.httpConfig ? { httpConfig: resolveHttpFiles(httpConfig, folder) } : {}),
    ...(tlsConfig && tlsConfig !== global.smtpTlsConfig ? { tlsConfig: resolveTlsFiles(tlsConfig, folder) } : {}),
  };
}
