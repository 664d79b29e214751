import { valuesOf } from '../../kernel/settings/settings.ts';
import type { OtlpOptions } from './relay-options.ts';
import { OPEN_TELEMETRY } from './settings.ts';
import type { GivenSettings } from './settings-draft.ts';

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_INTERVAL_MS = 60_000;
const DEFAULT_SERVICE_NAME = 'ld-relay';

/**
 * Where and how metrics are sent; undefined: not at all. They are sent if that is turned on or an endpoint is given. Mistakes
 * are problems if it is turned on; otherwise the variables may be meant for other programs, and mistakes are warnings.
 */
export function readOtlp(
  { OpenTelemetry: given }: GivenSettings,
  problems: string[],
  warnings: string[],
): OtlpOptions | undefined {
  const values = valuesOf(OPEN_TELEMETRY, given);
  const exporters = values.metricsExporter?.split(',').map((one) => one.trim());
  const isOn = given.enabled ? values.enabled : Boolean(values.endpoint || values.metricsEndpoint);
  if (!isOn || (exporters && values.metricsExporter && !exporters.includes('otlp'))) return undefined;
  const reader = new Reader(given);
  const options = {
    url: reader.url(),
    isJson: reader.protocol() === 'http/json',
    isCompressed: reader.word('compression', ['none', 'gzip']) === 'gzip',
    headers: { ...reader.pairs('headers'), ...reader.pairs('metricsHeaders') },
    timeoutMs: reader.milliseconds('timeout') ?? DEFAULT_TIMEOUT_MS,
    intervalMs: reader.milliseconds('interval') ?? DEFAULT_INTERVAL_MS,
    resource: { 'service.name': DEFAULT_SERVICE_NAME, ...reader.resource() },
  };
  if (reader.mistakes.length === 0) return options;
  if (given.enabled) problems.push(...reader.mistakes);
  else warnings.push(...reader.mistakes.map((mistake) => `no metrics are sent: ${mistake}`));
  return undefined;
}

type Key = keyof GivenSettings['OpenTelemetry'];

class Reader {
  readonly mistakes: string[] = [];
  readonly #given: GivenSettings['OpenTelemetry'];

  constructor(given: GivenSettings['OpenTelemetry']) {
    this.#given = given;
  }

  /** An endpoint of metrics is used as it is; one of everything gets the path of metrics. */
  url(): string {
    const own = this.#text('metricsEndpoint');
    const text = own ?? `${(this.#text('endpoint') ?? DEFAULT_ENDPOINT).replace(/\/+$/, '')}/v1/metrics`;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
      this.#complain(
        own === undefined ? 'endpoint' : 'metricsEndpoint',
        `write a URL without a password, such as ${DEFAULT_ENDPOINT}`,
      );
    return text;
  }

  protocol(): string | undefined {
    const key = this.#text('metricsProtocol') === undefined ? 'protocol' : 'metricsProtocol';
    if (this.#text(key) === 'grpc')
      this.#complain(key, "grpc is not spoken: write http/protobuf, and the collector's port for it, usually 4318");
    else return this.word(key, ['http/protobuf', 'http/json']);
    return undefined;
  }

  word(key: Key, words: readonly string[]): string | undefined {
    const text = this.#text(key);
    if (text !== undefined && !words.includes(text)) this.#complain(key, `write ${words.join(' or ')}`);
    return text;
  }

  milliseconds(key: Key): number | undefined {
    const text = this.#text(key);
    if (text === undefined) return undefined;
    if (!/^[1-9]\d{2,8}$/.test(text)) this.#complain(key, 'write milliseconds, at least 100');
    return Number(text);
  }

  resource(): Readonly<Record<string, string>> {
    const name = this.#text('serviceName');
    return { ...this.pairs('resourceAttributes'), ...(name === undefined ? {} : { 'service.name': name }) };
  }

  /** `name=value,…`, percent-encoded. Their values may be secrets. */
  pairs(key: Key): Readonly<Record<string, string>> {
    const pairs: Record<string, string> = {};
    for (const pair of (this.#text(key) ?? '').split(',')) {
      if (pair.trim() === '') continue;
      const [, name = '', value = ''] = /^\s*([!#$%&'*+.^`|~\w-]+)\s*=(.*)$/.exec(pair) ?? [];
      const decoded = decode(value.trim());
      if (name === '' || decoded === undefined) {
        this.#complain(key, 'write name=value, several with commas between them, and % signs as %25');
        break;
      }
      pairs[name] = decoded;
    }
    return pairs;
  }

  #text(key: Key): string | undefined {
    return (this.#given[key]?.value as string | undefined)?.trim() || undefined;
  }

  #complain(key: Key, advice: string): void {
    this.mistakes.push(`${this.#given[key]?.place ?? key}: ${advice}`);
  }
}

function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return /^[\t\x20-\x7e\x80-\uffff]*$/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
