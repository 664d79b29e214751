import type { CsvFileResult } from '../../../src/dashboard/domain/csv/file.ts';
import type { ProjectMarker } from '../../../src/dashboard/domain/marker/marker.ts';
import type { TablePage, TableQuery } from '../../../src/dashboard/domain/table-page.ts';
import type { CostBasis, SourceMode, Sums, View, ViewQuery } from '../../../src/dashboard/domain/view.ts';

// Messages between page and worker. An answer repeats the number of its request.

export interface CsvRequest {
  readonly type: 'csv';
  readonly name: string;
  readonly user: string;
  readonly now: number;
  /** A file, or the address of one. */
  readonly from: Blob | string;
}

export interface LiveRequest {
  readonly type: 'live';
  readonly users: readonly string[];
  /** Those whose server knows what has changed. */
  readonly agents: readonly string[];
  /** Epoch milliseconds; undefined: without bound. */
  readonly from: number | undefined;
  readonly now: number;
  /** Bypasses the caches of worker and server. */
  readonly refresh: boolean;
  /** In count mode: the wanted number of events; the window is widened up to three times. */
  readonly atLeast: number | undefined;
}

/** Fetches what has changed of assistants that are cached. */
export interface ChangesRequest {
  readonly type: 'changes';
  readonly agents: readonly string[];
  readonly now: number;
}

export interface CoverageRequest {
  readonly type: 'coverage';
  readonly user: string;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly source: SourceMode;
  readonly zone: string;
  readonly costBasis: CostBasis;
}

export type WorkerRequest =
  | { readonly type: 'start'; readonly users: readonly { readonly label: string; readonly email?: string }[] }
  | CsvRequest
  | LiveRequest
  | ChangesRequest
  | CoverageRequest
  | { readonly type: 'remove-files'; readonly fileIds: readonly number[] }
  | { readonly type: 'clear-live' }
  | { readonly type: 'markers'; readonly markers: readonly ProjectMarker[] }
  | { readonly type: 'view'; readonly query: ViewQuery }
  | { readonly type: 'table'; readonly query: TableQuery }
  | { readonly type: 'export'; readonly format: 'csv' | 'json'; readonly query: ViewQuery };

/** Why a fetch failed; `code` and `hint` are the server's. */
export interface LiveFailure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

export interface LiveUserResult {
  readonly user: string;
  /** Number of the user's live events. */
  readonly events: number;
  /** Last update; undefined: never. */
  readonly fetchedAt: number | undefined;
  /** Start of the data; undefined: no bound. */
  readonly from: number | undefined;
  readonly truncated: boolean;
  readonly failure: LiveFailure | undefined;
}

/** `missing`: no file at the address. */
export type CsvAnswer = CsvFileResult | 'missing';

export interface Answers {
  readonly start: undefined;
  readonly csv: CsvAnswer;
  readonly live: readonly LiveUserResult[];
  readonly changes: readonly LiveUserResult[];
  readonly coverage: Sums;
  readonly 'remove-files': undefined;
  readonly 'clear-live': undefined;
  readonly markers: undefined;
  /** Undefined: superseded by a newer request. */
  readonly view: View | undefined;
  readonly table: TablePage | undefined;
  readonly export: Blob;
}

export interface Progress {
  readonly done: number;
  /** 0 when not known. */
  readonly total: number;
  /** Rows read, or requests answered. */
  readonly count: number;
}

export type ToWorker =
  | { readonly id: number; readonly request: WorkerRequest }
  /** Cancels the request of that number. */
  | { readonly id: number; readonly cancel: true };

export type FromWorker =
  | { readonly id: number; readonly progress: Progress }
  | { readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly id: number; readonly error: string; readonly isCancelled: boolean };
