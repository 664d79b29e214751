import { plainValue } from '../integrations/http/payload.ts';
import { checkHeaders, checkHttp, checkProxy, checkTls, type HttpShape, type ProxyShape } from './http-config-check.ts';
import {
  bool,
  checkUrlEscapes,
  type FieldValues,
  type Kind,
  list,
  map,
  object,
  oneOf,
  optional,
  refined,
  secret,
  text,
  url,
  withDefault,
  withoutPassword,
} from './kind.ts';

/** Like `oneOf`, with an error text of its own. */
function word<const T extends string>(words: readonly T[], refusal: (found: string) => string): Kind<T> {
  return {
    read(node) {
      const found = words.find((known) => known === node.text());
      if (found === undefined) throw node.fault(refusal(node.written()));
      return found;
    },
    print: (value) => value,
  };
}

const TLS_VERSION = word(['TLS10', 'TLS11', 'TLS12', 'TLS13'], (found) => `unknown TLS version: ${found}`);

const tlsFields = {
  ca: optional(text),
  cert: optional(text),
  key: optional(secret),
  ca_file: optional(text),
  cert_file: optional(text),
  key_file: optional(text),
  server_name: optional(text),
  insecure_skip_verify: withDefault(bool, false),
  min_version: optional(TLS_VERSION),
  max_version: optional(TLS_VERSION),
};

export type TlsConfig = FieldValues<typeof tlsFields>;

export const tlsConfig: Kind<TlsConfig> = object(tlsFields, checkTls);

/** Any URL, in the words of the file; a password in it is not shown. */
const proxyUrl: Kind<string> = {
  read(node) {
    const word = text.read(node);
    checkUrlEscapes(node, word);
    return word;
  },
  print: (value, redact) => withoutPassword(redact?.(value) ?? value),
};

const proxyFields = {
  proxy_url: optional(proxyUrl),
  no_proxy: optional(text),
  proxy_from_environment: withDefault(bool, false),
  proxy_connect_header: optional(map(list(secret))),
};

const basicAuthFields = {
  username: optional(text),
  username_file: optional(text),
  password: optional(secret),
  password_file: optional(text),
};

const authorizationType: Kind<string> = {
  read: (node) => node.text().trim() || 'Bearer',
  print: text.print,
};

const authorizationFields = {
  type: withDefault(authorizationType, 'Bearer'),
  credentials: optional(secret),
  credentials_file: optional(text),
};

const oauth2Fields = {
  client_id: optional(text),
  client_secret: optional(secret),
  client_secret_file: optional(text),
  scopes: withDefault(list(text), []),
  token_url: optional(url),
  endpoint_params: withDefault(map(text), {}),
  tls_config: optional(tlsConfig),
  ...proxyFields,
  grant_type: optional(oneOf('client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer')),
  client_certificate_key_id: optional(text),
  client_certificate_key: optional(secret),
  client_certificate_key_file: optional(text),
  signature_algorithm: optional(
    word(['RS256', 'RS384', 'RS512'], () => 'valid signature algorithms are RS256, RS384 and RS512'),
  ),
  iss: optional(text),
  audience: optional(text),
  claims: withDefault(map(plainValue), {}),
};

const headerFields = {
  values: withDefault(list(text), []),
  secrets: withDefault(list(secret), []),
  files: withDefault(list(text), []),
};

/** Request headers by name; those that the client sets itself are refused. */
export const httpHeaders = refined(map(object(headerFields)), checkHeaders);

export type HttpHeaders = Readonly<Record<string, FieldValues<typeof headerFields>>>;

const httpFields = {
  basic_auth: optional(object(basicAuthFields)),
  authorization: optional(object(authorizationFields)),
  oauth2: optional(object(oauth2Fields, checkProxy)),
  bearer_token: optional(secret),
  bearer_token_file: optional(text),
  ...proxyFields,
  tls_config: optional(tlsConfig),
  follow_redirects: withDefault(bool, true),
  enable_http2: withDefault(bool, true),
  http_headers: optional(httpHeaders),
};

/** The HTTP client of an integration. File paths are as written until they are resolved against the file's folder. */
export type HttpConfig = FieldValues<typeof httpFields>;

const checkedHttpConfig: Kind<HttpConfig> = object(httpFields, (http: HttpShape & ProxyShape) => checkHttp(http));

/** The old `bearer_token` is read as the equivalent authorization. */
export const httpConfig: Kind<HttpConfig> = {
  read(node) {
    const { bearerToken, bearerTokenFile, ...http } = checkedHttpConfig.read(node);
    const isBearer = Boolean(bearerToken || bearerTokenFile);
    const bearer = {
      type: 'Bearer',
      credentials: bearerToken || undefined,
      credentialsFile: bearerTokenFile || undefined,
    };
    return {
      ...http,
      authorization: isBearer ? bearer : http.authorization,
      bearerToken: undefined,
      bearerTokenFile: undefined,
    };
  },
  print: checkedHttpConfig.print,
};

/** The default. */
export const DEFAULT_HTTP_CONFIG: HttpConfig = Object.freeze({
  basicAuth: undefined,
  authorization: undefined,
  oauth2: undefined,
  bearerToken: undefined,
  bearerTokenFile: undefined,
  proxyUrl: undefined,
  noProxy: undefined,
  proxyFromEnvironment: false,
  proxyConnectHeader: undefined,
  tlsConfig: undefined,
  followRedirects: true,
  enableHttp2: true,
  httpHeaders: undefined,
});
