import type { Outcome as Either } from '../../kernel/outcome.ts';

/** Why a request is refused, as `X-Error-Code` spells it. What status each has stands in contract/failure.ts. */
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
  | 'upstream_failed'
  | 'internal'
  | 'storage_unavailable'
  | 'storage_full'
  | 'shutting_down'
  | 'read_only';

/** A request that is not done, and why, in words for the person who sent it. */
export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly reason: string;
  /** The first failing part of a body, such as `copilot.context.messages`. */
  readonly path?: string;
  /** After how many seconds it may be tried again. */
  readonly retryAfterS?: number;
  /** Of `version_mismatch`: the representation that is there now. */
  readonly etag?: string;
}

/** What comes of a request: a value, or why it is refused. */
export type Outcome<T> = Either<T, Refusal>;
export { accepted } from '../../kernel/outcome.ts';

export function refuse(
  code: RefusalCode,
  reason: string,
  details: Partial<Omit<Refusal, 'ok' | 'code'>> = {},
): Refusal {
  return { ok: false, code, reason, ...details };
}
