import type { AgentStatus } from '../../../src/dashboard/contract/agents.ts';
import type { Budget } from '../../../src/dashboard/contract/budget.ts';
import type { Failure } from '../../../src/dashboard/contract/failure.ts';
import type { ListedUser, UserList } from '../../../src/dashboard/contract/user-list.ts';
import type { MarkerStore } from '../../../src/dashboard/domain/marker/marker.ts';

/** The users if the server does not list its own. */
const FALLBACK_USERS: readonly ListedUser[] = ['info', 'slope'].map((label, index) => ({
  id: label,
  label,
  color: ['#0072b2', '#d55e00'][index] ?? '',
  defaultCsvPaths: [`./data/usage-events-${label}.csv`],
  hasToken: false,
  emails: [],
}));

export async function fetchUsers(): Promise<readonly ListedUser[]> {
  const { users = [] } = ((await fetchJson('./api/users').catch(() => undefined)) ?? {}) as Partial<UserList>;
  return users.length > 0 ? users : FALLBACK_USERS;
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

/** `conflict`: the server's markers have changed; `store` holds them. */
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

export const fetchBudget = (): Promise<Budget> => fetchJson('./api/budget') as Promise<Budget>;

/** Undefined: the server keeps it; otherwise why it does not. */
export async function putBudget(budget: Budget): Promise<string | undefined> {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('./api/budget', { method: 'PUT', headers, body: JSON.stringify(budget) });
    return response.ok ? undefined : await errorOf(response);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export const fetchAgentStatus = async (): Promise<AgentStatus> => (await fetchJson('./api/agents')) as AgentStatus;

export const fetchSampleMarkers = (): Promise<unknown> => fetchJson('./sample/project-markers.json');

async function fetchJson(path: string): Promise<unknown> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(await errorOf(response));
  return response.json();
}

async function errorOf(response: Response): Promise<string> {
  const failure = (await response.json().catch(() => undefined)) as Partial<Failure> | undefined;
  return failure?.error ?? `${response.status} ${response.statusText}`;
}
