import type { Role } from '../member/member.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import type { ApiKeyInfo, CopilotSettings, CopilotTrigger, Provider, ProviderKind } from './copilot.ts';

/** A requested copilot. Omitted fields take their defaults, but key and secret stay. */
export interface CopilotRequest {
  readonly enabled?: boolean | undefined;
  readonly name?: string | undefined;
  readonly provider?: string | undefined;
  readonly baseUrl?: string | null | undefined;
  readonly model?: string | null | undefined;
  /** `null` removes it. */
  readonly apiKey?: string | null | undefined;
  readonly secretRef?: string | null | undefined;
  readonly instructions?: string | undefined;
  readonly trigger?: CopilotTrigger | undefined;
  readonly triggerRoles?: readonly Role[] | undefined;
  readonly triggerKeywords?: readonly string[] | undefined;
  readonly allowBots?: boolean | undefined;
  readonly replyIn?: 'thread' | 'room' | undefined;
  readonly context?: Optional<CopilotSettings['context']> | undefined;
  readonly temperature?: number | null | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly timeouts?: Optional<CopilotSettings['timeouts']> | undefined;
  readonly limits?: Optional<CopilotSettings['limits']> | undefined;
  readonly redact?: Optional<CopilotSettings['redact']> | undefined;
}

type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The change to a room's stored key. Plain text is encrypted before it is written. */
export type KeyChange =
  | { readonly kind: 'keep' }
  | { readonly kind: 'remove' }
  | { readonly kind: 'set'; readonly plain: string; readonly origin: string };

export interface CopilotReplacement {
  /** The same object if nothing changes. */
  readonly settings: CopilotSettings;
  readonly key: KeyChange;
}

export interface CopilotContext {
  readonly isAdmin: boolean;
  readonly userId: string;
  readonly now: number;
  provider(name: string): Provider | undefined;
  /** Why requests to an address are refused; `undefined`: allowed, as far as can be checked without the network. */
  refuseUrl(url: string, allowPrivate: boolean): string | undefined;
}

const DEFAULT_ORIGINS: Readonly<Record<ProviderKind, string>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  echo: 'echo:',
};

const NO_KEY: ApiKeyInfo = { set: false, source: null, last4: null };
/** The last characters of a shorter key would reveal too much. */
const MIN_SHOWN_KEY = 16;

const DEFAULTS: Plain = {
  enabled: true,
  name: 'copilot',
  provider: 'default',
  baseUrl: null,
  model: null,
  instructions: '',
  trigger: 'mention',
  triggerRoles: ['owner', 'admin', 'member'],
  triggerKeywords: [],
  allowBots: false,
  replyIn: 'thread',
  temperature: null,
  maxOutputTokens: 1024,
};

const CONTEXT: CopilotSettings['context'] = {
  messages: 40,
  maxTokens: 8000,
  scope: 'thread',
  includeAlerts: true,
  includeFiles: false,
};
const TIMEOUTS = { connectMs: 5000, firstTokenMs: 30_000, idleMs: 30_000, totalMs: 120_000 };
const LIMITS = { perUserPerHour: 30, perRoomPerHour: 120, tokensPerDay: 500_000, concurrent: 1, queue: 5 };
const REDACT: CopilotSettings['redact'] = { secrets: true, emails: false, patterns: [] };

/** The private copilot in a room without a copilot: the server's own provider, with the default settings. */
export const usualCopilot = (): CopilotSettings => ({
  ...wholeOf({}),
  secretRef: null,
  apiKeyInfo: NO_KEY,
  version: 0,
  updatedAt: 0,
  updatedBy: '',
});

type Properties = Omit<CopilotSettings, 'version' | 'updatedAt' | 'updatedBy' | 'apiKeyInfo' | 'secretRef'>;
type Plain = Omit<Properties, 'context' | 'timeouts' | 'limits' | 'redact'>;

/** Replaces a copilot, if the caller may. */
export function replaceCopilot(
  current: CopilotSettings | null,
  request: CopilotRequest,
  context: CopilotContext,
): Outcome<CopilotReplacement> {
  const properties = wholeOf(request);
  const refusal = checkProvider(current, properties, context) ?? checkUrl(current, properties, context);
  if (refusal) return refusal;
  const secret = decideSecret(current, request, properties, context);
  if (!secret.ok) return secret;
  const { key, apiKeyInfo, secretRef } = secret.value;
  const wanted = { ...properties, secretRef, apiKeyInfo };
  if (current && key.kind === 'keep' && isSame(current, wanted)) return accepted({ settings: current, key });
  const { now: updatedAt, userId: updatedBy } = context;
  return accepted({ settings: { ...wanted, version: (current?.version ?? 0) + 1, updatedAt, updatedBy }, key });
}

/**
 * The origin that a room's key is sent to: of its base URL, or of its provider's. Key and origin belong together, so
 * that pointing the copilot elsewhere reveals no key.
 */
export function copilotOrigin(
  { provider, baseUrl }: Pick<CopilotSettings, 'provider' | 'baseUrl'>,
  profile: Provider | undefined,
): string {
  const url = baseUrl ?? profile?.baseUrl;
  if (url) return new URL(url).origin;
  const kind = profile?.kind ?? provider;
  return isKind(kind) ? DEFAULT_ORIGINS[kind] : `provider:${provider}`;
}

export const isKind = (name: string): name is ProviderKind => Object.hasOwn(DEFAULT_ORIGINS, name);

/** A request may repeat fields that only the server sets. */
function wholeOf(request: CopilotRequest): Properties {
  return {
    ...fill(DEFAULTS, request),
    context: fill(CONTEXT, request.context),
    timeouts: fill(TIMEOUTS, request.timeouts),
    limits: fill(LIMITS, request.limits),
    redact: fill(REDACT, request.redact),
  };
}

/** The defaults, overridden by the request. */
function fill<T extends object>(defaults: T, sent: Optional<T> = {}): T {
  const names = Object.keys(defaults) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, sent[name] ?? defaults[name]])) as T;
}

function checkProvider(
  current: CopilotSettings | null,
  { provider }: Properties,
  context: CopilotContext,
): Refusal | undefined {
  // A provider removed since is reported by the copilot's health, not at every edit of its settings.
  const isKnown = provider === 'default' || provider === current?.provider || isKind(provider);
  if (isKnown || context.provider(provider)) return undefined;
  const reason = `copilot.provider: there is no provider ${provider}; name one of the server, or openai, anthropic or echo`;
  return refuse('invalid_body', reason, { path: 'copilot.provider' });
}

function checkUrl(
  current: CopilotSettings | null,
  { baseUrl, provider }: Properties,
  context: CopilotContext,
): Refusal | undefined {
  if (baseUrl === null || baseUrl === current?.baseUrl) return undefined;
  if (!context.isAdmin) return refuse('forbidden', 'only an admin of the server may set copilot.baseUrl');
  const excuse = context.refuseUrl(baseUrl, context.provider(provider)?.allowPrivate ?? false);
  return excuse === undefined
    ? undefined
    : refuse('invalid_body', `copilot.baseUrl: ${excuse}`, { path: 'copilot.baseUrl' });
}

interface SecretDecision extends Pick<CopilotSettings, 'apiKeyInfo' | 'secretRef'> {
  readonly key: KeyChange;
}

function decideSecret(
  current: CopilotSettings | null,
  { apiKey, secretRef }: CopilotRequest,
  properties: Properties,
  { isAdmin, provider }: CopilotContext,
): Outcome<SecretDecision> {
  const origin = copilotOrigin(properties, provider(properties.provider));
  const isNewRef = typeof secretRef === 'string' && (secretRef !== current?.secretRef || isAdmin);
  if (isNewRef && !isAdmin) return refuse('forbidden', 'only an admin of the server may set copilot.secretRef');
  if (typeof apiKey === 'string') {
    if (isNewRef && secretRef !== current?.secretRef)
      return refuse('invalid_body', 'send copilot.apiKey or copilot.secretRef, not both', { path: 'copilot.apiKey' });
    const last4 = apiKey.length < MIN_SHOWN_KEY ? null : apiKey.slice(-4);
    const apiKeyInfo = { set: true, source: 'room', last4 };
    return accepted({ key: { kind: 'set', plain: apiKey, origin }, apiKeyInfo, secretRef: null });
  }
  const hasKey = current?.apiKeyInfo.source === 'room';
  const key: KeyChange = hasKey && (apiKey === null || isNewRef) ? { kind: 'remove' } : { kind: 'keep' };
  if (isNewRef) return accepted({ key, apiKeyInfo: infoOfRef(secretRef), secretRef });
  const keptRef = secretRef === null ? null : (current?.secretRef ?? null);
  const keepsKey = hasKey && key.kind === 'keep';
  const isMoved = current !== null && copilotOrigin(current, provider(current.provider)) !== origin;
  if (isMoved && (keptRef !== null || keepsKey))
    return refuse(
      'invalid_body',
      `copilot.apiKey: the stored key belongs to another address than ${origin}; send its key, or null to go without`,
      { path: 'copilot.apiKey' },
    );
  if (keptRef !== null) return accepted({ key, apiKeyInfo: infoOfRef(keptRef), secretRef: keptRef });
  return accepted({ key, apiKeyInfo: keepsKey && current ? current.apiKeyInfo : NO_KEY, secretRef: null });
}

function infoOfRef(secretRef: string): ApiKeyInfo {
  return { set: true, source: secretRef.startsWith('env:') ? 'env' : 'file', last4: null };
}

function isSame(current: CopilotSettings, wanted: Omit<CopilotSettings, 'version' | 'updatedAt' | 'updatedBy'>) {
  return Object.entries(wanted).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(current[name as keyof CopilotSettings]),
  );
}
