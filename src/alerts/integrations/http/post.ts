import { messageOf } from '../../../kernel/errors.ts';
import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import type { HttpRequest } from '../notifier.ts';

/** A POST of JSON. */
export function postJson(url: string, body: string, signal: AbortSignal): HttpRequest {
  return { method: 'POST', url, headers: { 'content-type': 'application/json' }, body, signal };
}

/** A text of the configuration, or of a file that is read at each use; `what` names it in the refusal. */
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
