import { messageOf } from '../../../kernel/errors.ts';
import { describeFailure } from '../../../kernel/http-client/failure.ts';

/** Why there was no answer, without URL and headers, which may be secrets. */
export function describeSendFailure(error: unknown, signal: AbortSignal): string {
  return signal.aborted ? describeAbort(signal.reason) : describeFailure(error);
}

/** The reason of an aborted signal; for a deadline or a stop with Go's text. */
export function describeAbort(reason: unknown): string {
  const name = reason instanceof Error ? reason.name : '';
  if (name === 'TimeoutError') return 'context deadline exceeded';
  return name === 'OwnTimeout' ? messageOf(reason) : 'context canceled';
}
