import type { MarkerStore } from '../../../src/dashboard/domain/marker/marker.ts';

/** A user as the server knows it. */
export interface ServerUser {
  readonly label: string;
  readonly color: string;
  readonly defaultCsvPaths: readonly string[];
  readonly hasToken: boolean;
  readonly emails: readonly string[];
}

/** What the page falls back on when the server does not say who its users are. */
const FALLBACK_USERS: readonly ServerUser[] = ['info', 'slope'].map((label, index) => ({
  label,
  color: ['#0072b2', '#d55e00'][index] ?? '',
  defaultCsvPaths: [`./data/usage-events-${label}.csv`],
  hasToken: false,
  emails: [],
}));

export async function fetchUsers(): Promise<readonly ServerUser[]> {
  const body = await fetchJson('./api/users').catch(() => undefined);
  const users = (body as { readonly users?: unknown } | undefined)?.users;
  if (!Array.isArray(users) || users.length === 0) return FALLBACK_USERS;
  return users.map((user: Readonly<Record<string, unknown>>) => ({
    label: String(user.label ?? user.id),
    color: String(user.color ?? ''),
    defaultCsvPaths: Array.isArray(user.defaultCsvPaths) ? user.defaultCsvPaths.map(String) : [],
    hasToken: user.hasToken === true,
    emails: Array.isArray(user.emails) ? user.emails.map(String) : [],
  }));
}

export interface FetchedMarkers {
  readonly store: unknown;
  readonly etag: string | null;
}

/** The server's markers; rejects when it does not answer. */
export async function fetchMarkers(): Promise<FetchedMarkers> {
  const response = await fetch('./api/markers');
  if (!response.ok) throw new Error(await errorOf(response));
  return { store: await response.json(), etag: response.headers.get('etag') };
}

/** `conflict`: somebody else was faster; the store is theirs then. */
export type PutOutcome =
  | { readonly status: 'stored' | 'conflict'; readonly store: unknown; readonly etag: string | null }
  | { readonly status: 'failed'; readonly reason: string };

export async function putMarkers(store: MarkerStore, etag: string | null): Promise<PutOutcome> {
  try {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (etag !== null) headers['if-match'] = etag;
    const response = await fetch('./api/markers', { method: 'PUT', headers, body: JSON.stringify(store) });
    if (!response.ok && response.status !== 412) return { status: 'failed', reason: await errorOf(response) };
    const status = response.ok ? 'stored' : 'conflict';
    return { status, store: await response.json(), etag: response.headers.get('etag') };
  } catch (error) {
    return { status: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

export const fetchSampleMarkers = (): Promise<unknown> => fetchJson('./sample/project-markers.json');

async function fetchJson(path: string): Promise<unknown> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(await errorOf(response));
  return response.json();
}

async function errorOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  const text = (body as { readonly error?: unknown } | undefined)?.error;
  return typeof text === 'string' ? text : `${response.status} ${response.statusText}`;
}
