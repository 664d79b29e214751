import { messageOf } from '../../../kernel/errors.ts';
import { describeFailure } from '../../../kernel/http-client/failure.ts';

/** Why no answer came, without the URL or any header, which may be secrets. */
export function describeSendFailure(error: unknown, signal: AbortSignal): string {
  return signal.aborted ? describeAbort(signal.reason) : describeFailure(error);
}

/** What a signal was aborted with, in Go's words where it is the deadline or the end of the server. */
export function describeAbort(reason: unknown): string {
  const name = reason instanceof Error ? reason.name : '';
  if (name === 'TimeoutError') return 'context deadline exceeded';
  return name === 'OwnTimeout' ? messageOf(reason) : 'context canceled';
}
