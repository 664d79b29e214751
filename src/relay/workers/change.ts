import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { CredentialTable } from '../credentials.ts';
import type { EnvironmentChanges, EnvironmentOrigin } from '../environment.ts';
import type { ItemKind } from '../flag-store.ts';

/** Names an environment in all threads; never used again. */
export type EnvironmentId = number;

/** A change of what is served. Flags and segments are JSON, as a copy of their objects would cost more than parsing. */
export type Change =
  | {
      readonly kind: 'added';
      readonly id: EnvironmentId;
      readonly options: EnvironmentOptions;
      readonly origin: EnvironmentOrigin;
      readonly hasBigSegments: boolean;
    }
  | { readonly kind: 'removed'; readonly id: EnvironmentId }
  | { readonly kind: 'reconfigured'; readonly id: EnvironmentId; readonly options: EnvironmentOptions }
  /** Whether upstream has never accepted the key, and the status of its last answer. */
  | {
      readonly kind: 'refused';
      readonly id: EnvironmentId;
      readonly isRefused: boolean;
      readonly statusCode: number | undefined;
    }
  /** Contexts may have joined or left big segments. */
  | { readonly kind: 'members'; readonly id: EnvironmentId }
  /** All data, see item-texts.ts: one copy for all threads. */
  | { readonly kind: 'put'; readonly id: EnvironmentId; readonly data: SharedArrayBuffer }
  | {
      readonly kind: 'patch';
      readonly id: EnvironmentId;
      readonly items: ItemKind;
      readonly key: string;
      readonly json: string;
    }
  | {
      readonly kind: 'delete';
      readonly id: EnvironmentId;
      readonly items: ItemKind;
      readonly key: string;
      readonly version: number;
    }
  /** Follows the data with which a new copy begins. */
  | { readonly kind: 'resumed'; readonly id: EnvironmentId; readonly changes: EnvironmentChanges }
  | { readonly kind: 'credentials'; readonly table: CredentialTable<EnvironmentId> };

export interface NumberedChange {
  /** In 32 bits, so that it wraps around. */
  readonly number: number;
  readonly change: Change;
}
