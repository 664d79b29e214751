import { messageOf } from '../../kernel/errors.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { HttpRequest } from './notifier.ts';

/** A request that brings JSON. */
export function postJson(url: string, body: string, signal: AbortSignal): HttpRequest {
  return { method: 'POST', url, headers: { 'content-type': 'application/json' }, body, signal };
}

/** A text that stands in the configuration, or in a file that is read anew at each use; the reason says what `what` is. */
export async function inlineOrFile(
  inline: string | undefined,
  file: string,
  what: string,
  readSecret: (path: string) => Promise<string>,
): Promise<Outcome<string>> {
  if (inline) return accepted(inline);
  try {
    return accepted(await readSecret(file));
  } catch (error) {
    return refused(`${what}: ${messageOf(error)}`);
  }
}
