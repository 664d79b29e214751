import type { Wrong } from './kind.ts';

// Conflicts within the configuration of an HTTP client. Source: prometheus/common config.HTTPClientConfig.

type Texts<Name extends string> = { readonly [N in Name]?: string | undefined };

type TlsShape = Texts<'ca' | 'caFile' | 'cert' | 'certFile' | 'key' | 'keyFile' | 'minVersion' | 'maxVersion'>;

export type ProxyShape = Texts<'proxyUrl' | 'noProxy'> & {
  readonly proxyFromEnvironment: boolean;
  readonly proxyConnectHeader?: Readonly<Record<string, unknown>> | undefined;
};

export type HttpShape = Texts<'bearerToken' | 'bearerTokenFile'> & {
  readonly basicAuth?: Texts<'username' | 'usernameFile' | 'password' | 'passwordFile'> | undefined;
  readonly authorization?: (Texts<'credentials' | 'credentialsFile'> & { readonly type: string }) | undefined;
  readonly oauth2?: OAuth2Shape | undefined;
};

type OAuth2Shape = Texts<
  | 'clientId'
  | 'tokenUrl'
  | 'grantType'
  | 'clientSecret'
  | 'clientSecretFile'
  | 'clientCertificateKey'
  | 'clientCertificateKeyFile'
>;

export function checkTls(tls: TlsShape): Wrong | undefined {
  if (tls.ca && tls.caFile)
    return { field: 'ca_file', message: 'at most one of ca, ca_file & ca_ref must be configured' };
  if (tls.cert && tls.certFile)
    return { field: 'cert_file', message: 'at most one of cert, cert_file & cert_ref must be configured' };
  if (tls.key && tls.keyFile)
    return { field: 'key_file', message: 'at most one of key and key_file must be configured' };
  const [hasCert, hasKey] = [Boolean(tls.cert || tls.certFile), Boolean(tls.key || tls.keyFile)];
  if (hasCert && !hasKey)
    return 'exactly one of key or key_file must be configured when a client certificate is configured';
  if (hasKey && !hasCert) return 'exactly one of cert or cert_file must be configured when a client key is configured';
  if (tls.minVersion && tls.maxVersion && tls.maxVersion < tls.minVersion)
    return {
      field: 'max_version',
      message: 'tls_config.max_version must be greater than or equal to tls_config.min_version if both are specified',
    };
  return undefined;
}

export function checkProxy(proxy: ProxyShape): Wrong | undefined {
  const hasHeader = Object.keys(proxy.proxyConnectHeader ?? {}).length > 0;
  if (hasHeader && !proxy.proxyFromEnvironment && !proxy.proxyUrl) {
    return {
      field: 'proxy_connect_header',
      message: 'if proxy_connect_header is configured, proxy_url or proxy_from_environment must also be configured',
    };
  }
  if (proxy.proxyFromEnvironment && proxy.proxyUrl)
    return {
      field: 'proxy_url',
      message: 'if proxy_from_environment is configured, proxy_url must not be configured',
    };
  if (proxy.proxyFromEnvironment && proxy.noProxy)
    return { field: 'no_proxy', message: 'if proxy_from_environment is configured, no_proxy must not be configured' };
  if (proxy.proxyUrl === undefined && proxy.noProxy)
    return { field: 'no_proxy', message: 'if no_proxy is configured, proxy_url must also be configured' };
  return undefined;
}

const ONLY_ONE = 'at most one of basic_auth, oauth2 & authorization must be configured';

export function checkHttp(http: HttpShape & ProxyShape): Wrong | undefined {
  return checkBearer(http) ?? checkCredentials(http) ?? (http.oauth2 && checkOAuth2(http.oauth2)) ?? checkProxy(http);
}

function checkBearer({ bearerToken, bearerTokenFile, basicAuth, oauth2, authorization }: HttpShape): Wrong | undefined {
  if (!bearerToken && !bearerTokenFile) return undefined;
  const field = bearerToken ? 'bearer_token' : 'bearer_token_file';
  if (bearerToken && bearerTokenFile)
    return {
      field: 'bearer_token_file',
      message: 'at most one of bearer_token & bearer_token_file must be configured',
    };
  if (basicAuth || oauth2)
    return { field, message: 'at most one of basic_auth, oauth2, bearer_token & bearer_token_file must be configured' };
  if (authorization) return { field, message: 'authorization is not compatible with bearer_token & bearer_token_file' };
  return undefined;
}

function checkCredentials({ basicAuth, authorization, oauth2 }: HttpShape): Wrong | undefined {
  if (basicAuth?.username && basicAuth.usernameFile)
    return {
      field: 'basic_auth',
      message: 'at most one of basic_auth username, username_file & username_ref must be configured',
    };
  if (basicAuth?.password && basicAuth.passwordFile)
    return {
      field: 'basic_auth',
      message: 'at most one of basic_auth password, password_file & password_ref must be configured',
    };
  if (authorization?.credentials && authorization.credentialsFile)
    return {
      field: 'authorization',
      message: 'at most one of authorization credentials & credentials_file must be configured',
    };
  if (authorization?.type.toLowerCase() === 'basic')
    return {
      field: 'authorization',
      message: 'authorization type cannot be set to "basic", use "basic_auth" instead',
    };
  if (authorization && (basicAuth || oauth2)) return { field: 'authorization', message: ONLY_ONE };
  if (oauth2 && basicAuth) return { field: 'oauth2', message: ONLY_ONE };
  return undefined;
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

function checkOAuth2(oauth2: OAuth2Shape): Wrong | undefined {
  const message = wrongWithOAuth2(oauth2);
  return message === undefined ? undefined : { field: 'oauth2', message };
}

function wrongWithOAuth2(oauth2: OAuth2Shape): string | undefined {
  if (!oauth2.clientId) return 'oauth2 client_id must be configured';
  if (!oauth2.tokenUrl) return 'oauth2 token_url must be configured';
  if (oauth2.grantType === JWT_BEARER) {
    return oauth2.clientCertificateKey && oauth2.clientCertificateKeyFile
      ? `at most one of oauth2 client_certificate_key, client_certificate_key_file & client_certificate_key_ref must be configured using grant-type=${JWT_BEARER}`
      : undefined;
  }
  return oauth2.clientSecret && oauth2.clientSecretFile
    ? 'at most one of oauth2 client_secret, client_secret_file & client_secret_ref must be configured using grant-type=client_credentials'
    : undefined;
}

/** Headers that the client sets itself, or that depend on how a body is sent. */
const RESERVED = new Set([
  'Authorization',
  'Host',
  'Content-Encoding',
  'Content-Length',
  'Content-Type',
  'User-Agent',
  'Connection',
  'Keep-Alive',
  'Proxy-Authenticate',
  'Proxy-Authorization',
  'Www-Authenticate',
  'Accept-Encoding',
  'X-Prometheus-Remote-Write-Version',
  'X-Prometheus-Remote-Read-Version',
  'X-Prometheus-Scrape-Timeout-Seconds',
  'X-Amz-Date',
  'X-Amz-Security-Token',
  'X-Amz-Content-Sha256',
]);

export function checkHeaders(headers: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of Object.keys(headers)) {
    const canonical = name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
    if (RESERVED.has(canonical)) return `setting header "${canonical}" is not allowed`;
  }
  return undefined;
}
