import type { GlobalConfig } from '../config/global-config.ts';
import { type HttpConfig, httpConfig } from '../config/http-config.ts';
import { bool, type Field, optional, withDefault } from '../config/kind.ts';

/** `byDefault`: whether resolved alerts are sent unless configured. */
export function sendResolved(byDefault: boolean): { readonly send_resolved: Field<boolean> } {
  return { send_resolved: withDefault(bool, byDefault) };
}

/** The fields of every HTTP integration. */
export function httpFields(sendResolvedByDefault: boolean) {
  return { ...sendResolved(sendResolvedByDefault), http_config: optional(httpConfig) };
}

/** An integration's own HTTP configuration replaces the whole global one. */
export function inheritHttp<C extends { readonly httpConfig: HttpConfig | undefined }>(
  config: C,
  global: GlobalConfig,
): C {
  return { ...config, httpConfig: config.httpConfig ?? global.httpConfig };
}
