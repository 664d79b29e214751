import { type Caller, rulesServer } from '../caller.ts';
import type { AuditEntry, Change, ChangeView } from '../change.ts';
import { checkIfMatch } from '../etag.ts';
import { type RecordChange, record } from '../record.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import type { SecretSealer } from './change.ts';
import type { ApiKeyInfo, Provider, ProviderKind, Secret } from './copilot.ts';
import { copilotOrigin } from './settings.ts';

/** A requested provider. Omitted fields take their defaults, but a stored key stays. */
export interface ProviderRequest {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseUrl?: string | null | undefined;
  readonly model?: string | null | undefined;
  /** `null` removes it. */
  readonly apiKey?: string | null | undefined;
  readonly secretRef?: string | null | undefined;
  readonly allowPrivate?: boolean | undefined;
}

export interface ProviderContext {
  readonly cipher: SecretSealer;
  /** As in CopilotContext. */
  refuseUrl(url: string, allowPrivate: boolean): string | undefined;
}

export const providerEtag = (version: number): string => `"p${version}"`;
export const providerSecretKey = (name: string): string => `provider/${name}`;
export const noSuchProvider = (name: string): Refusal =>
  refuse('provider_not_found', `there is no provider ${name}; GET /api/provider lists them`);

const MAX_PROVIDERS = 100;
const MIN_SHOWN_KEY = 16;
const NO_KEY: ApiKeyInfo = { set: false, source: null, last4: null };

/** `POST /api/provider`; `count`: the existing providers. */
export function createProvider(
  caller: Caller,
  request: ProviderRequest,
  count: number,
  context: ProviderContext,
): Change<Provider> {
  return {
    decide(view) {
      const refusal = requireAdmin(caller);
      if (refusal) return refusal;
      const { name } = request;
      if (view.get('provider', name))
        return refuse('name_taken', `there is a provider ${name} already`, { path: 'name' });
      if (count >= MAX_PROVIDERS) return refuse('limit_reached', `there are ${MAX_PROVIDERS} providers already`);
      return decide(view, caller, undefined, request, context);
    },
  };
}

/** `PUT /api/provider/:name` */
export function replaceProvider(
  caller: Caller,
  request: ProviderRequest,
  ifMatch: string | undefined,
  context: ProviderContext,
): Change<Provider> {
  return {
    decide(view) {
      const refusal = requireAdmin(caller);
      if (refusal) return refusal;
      const current = view.get('provider', request.name);
      if (!current) return noSuchProvider(request.name);
      return checkIfMatch(ifMatch, providerEtag(current.version)) ?? decide(view, caller, current, request, context);
    },
  };
}

/** Rooms that use the provider report the error when asked. */
export function removeProvider(caller: Caller, name: string, ifMatch: string | undefined): Change<Provider> {
  return {
    decide(view) {
      const current = view.get('provider', name);
      const refusal = requireAdmin(caller);
      if (refusal) return refusal;
      if (!current) return noSuchProvider(name);
      const mismatch = checkIfMatch(ifMatch, providerEtag(current.version));
      if (mismatch) return mismatch;
      const records = [record('provider', name, null), ...secretRecords(view, name, null)];
      const audit = [auditOf(view, caller, 'provider.remove', name)];
      return { ok: true, write: { records, audit }, answer: () => current };
    },
  };
}

export function requireAdmin(caller: Caller): Refusal | undefined {
  return rulesServer(caller) ? undefined : refuse('forbidden', 'only admins of the server may do this');
}

function decide(
  view: ChangeView,
  caller: Caller,
  current: Provider | undefined,
  request: ProviderRequest,
  context: ProviderContext,
): ReturnType<Change<Provider>['decide']> {
  const { name, kind, baseUrl = null, model = null, allowPrivate = false } = request;
  const excuse = baseUrl === null ? undefined : context.refuseUrl(baseUrl, allowPrivate);
  if (excuse !== undefined) return refuse('invalid_body', `baseUrl: ${excuse}`, { path: 'baseUrl' });
  const plain = { name, kind, baseUrl, model, allowPrivate };
  const key = decideKey(current, { ...NEW_PROVIDER, ...plain }, request);
  if (!key.ok) return key;
  const { apiKeyInfo, secretRef, apiKey } = key.value;
  const version = (current?.version ?? 0) + 1;
  const provider: Provider = { ...plain, secretRef, apiKeyInfo, version, updatedAt: view.now };
  const isNewKey = typeof apiKey === 'string';
  if (current && !isNewKey && isSame(current, provider)) return { ok: true, write: null, answer: () => current };
  const owner = providerSecretKey(name);
  const sealed = isNewKey ? context.cipher.seal(owner, apiKey, originOf(provider)) : null;
  const records = [record('provider', name, provider)];
  if (apiKey !== undefined) records.push(...secretRecords(view, name, sealed));
  const audit = [auditOf(view, caller, current ? 'provider.update' : 'provider.create', name)];
  return { ok: true, write: { records, audit }, answer: () => provider };
}

const NEW_PROVIDER = { secretRef: null, apiKeyInfo: NO_KEY, version: 0, updatedAt: 0 };

interface KeyDecision extends Pick<Provider, 'apiKeyInfo' | 'secretRef'> {
  /** `undefined`: the stored key stays. */
  readonly apiKey: string | null | undefined;
}

function decideKey(
  current: Provider | undefined,
  wanted: Provider,
  { apiKey, secretRef }: ProviderRequest,
): Outcome<KeyDecision> {
  if (typeof apiKey === 'string' && typeof secretRef === 'string' && secretRef !== current?.secretRef)
    return refuse('invalid_body', 'send apiKey or secretRef, not both', { path: 'apiKey' });
  if (typeof apiKey === 'string') {
    const last4 = apiKey.length < MIN_SHOWN_KEY ? null : apiKey.slice(-4);
    return accepted({ apiKey, secretRef: null, apiKeyInfo: { set: true, source: 'profile', last4 } });
  }
  if (typeof secretRef === 'string') {
    const source = secretRef.startsWith('env:') ? 'env' : 'file';
    return accepted({ apiKey: null, secretRef, apiKeyInfo: { set: true, source, last4: null } });
  }
  const isKept = apiKey !== null && current?.apiKeyInfo.source === 'profile';
  const keptRef = secretRef === null ? null : (current?.secretRef ?? null);
  if ((isKept || keptRef !== null) && current && originOf(current) !== originOf(wanted))
    return refuse(
      'invalid_body',
      `apiKey: the stored key belongs to another address than ${originOf(wanted)}; send its key, or null to go without`,
      { path: 'apiKey' },
    );
  if (keptRef !== null && current)
    return accepted({ apiKey: undefined, secretRef: keptRef, apiKeyInfo: current.apiKeyInfo });
  if (isKept && current) return accepted({ apiKey: undefined, secretRef: null, apiKeyInfo: current.apiKeyInfo });
  return accepted({ apiKey: null, secretRef: null, apiKeyInfo: NO_KEY });
}

const originOf = (provider: Provider): string => copilotOrigin({ provider: provider.name, baseUrl: null }, provider);

function isSame(current: Provider, wanted: Provider): boolean {
  const properties = (provider: Provider) => JSON.stringify({ ...provider, version: 0, updatedAt: 0 });
  return properties({ ...NEW_PROVIDER, ...current }) === properties({ ...NEW_PROVIDER, ...wanted });
}

function secretRecords(view: ChangeView, name: string, sealed: Secret | null): readonly RecordChange[] {
  const key = providerSecretKey(name);
  return sealed || view.get('secret', key) ? [record('secret', key, sealed)] : [];
}

function auditOf(view: ChangeView, { user }: Caller, action: string, subject: string): AuditEntry {
  return { at: view.now, by: user.id, action, roomId: null, subject };
}
