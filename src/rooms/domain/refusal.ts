import type { Outcome as Either } from '../../kernel/outcome.ts';

/** Why a request is refused, as in `X-Error-Code`. contract/failure.ts has the status of each. */
export type RefusalCode =
  | 'invalid_json'
  | 'invalid_body'
  | 'unknown_field'
  | 'immutable_field'
  | 'invalid_cursor'
  | 'invalid_query'
  | 'unauthenticated'
  | 'token_expired'
  | 'forbidden'
  | 'read_only_room'
  | 'scope_missing'
  | 'origin_refused'
  | 'host_refused'
  | 'not_found'
  | 'room_not_found'
  | 'message_not_found'
  | 'member_not_found'
  | 'user_not_found'
  | 'run_not_found'
  | 'file_not_found'
  | 'hook_not_found'
  | 'token_not_found'
  | 'invite_not_found'
  | 'provider_not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'too_large'
  | 'range_not_satisfiable'
  | 'unsupported_media_type'
  | 'id_conflict'
  | 'name_taken'
  | 'archived'
  | 'last_owner'
  | 'deleted'
  | 'run_finished'
  | 'request_in_progress'
  | 'limit_reached'
  | 'version_mismatch'
  | 'precondition_required'
  | 'key_reused'
  | 'rate_limited'
  | 'slow_mode'
  | 'copilot_quota'
  | 'not_supported'
  | 'upstream_failed'
  | 'internal'
  | 'storage_unavailable'
  | 'storage_full'
  | 'lease_lost'
  | 'shutting_down'
  | 'read_only';

/** A refused request, with a reason for its sender. */
export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly reason: string;
  /** The first invalid part of a body, such as `copilot.context.messages`. */
  readonly path?: string;
  /** Seconds until a retry may succeed. */
  readonly retryAfterS?: number;
  /** Of `version_mismatch`: the current representation's tag. */
  readonly etag?: string;
}

/** The outcome of a request: a value, or a refusal. */
export type Outcome<T> = Either<T, Refusal>;
export { accepted } from '../../kernel/outcome.ts';

export function refuse(
  code: RefusalCode,
  reason: string,
  details: Partial<Omit<Refusal, 'ok' | 'code'>> = {},
): Refusal {
  return { ok: false, code, reason, ...details };
}
