import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { countParts, MAX_PARTS } from '../data-size.ts';
import { isJsonObject, type Json } from '../domain/json.ts';

/** An event of a stream of LaunchDarkly's that keeps items up to date; `items` is the kind of an item. */
export type StreamMessage<K extends string> =
  | { readonly kind: 'put'; readonly data: Json | undefined }
  | { readonly kind: 'patch'; readonly items: K; readonly key: string; readonly item: Json }
  | { readonly kind: 'delete'; readonly items: K; readonly key: string; readonly version: number }
  /** Unknown event or path; LaunchDarkly may add some. */
  | { readonly kind: 'ignored'; readonly what: string };

/** Reads an event; refuses invalid ones. A refusal quotes no data, which may hold keys. */
export function readStreamMessage<K extends string>(
  event: string,
  data: string,
  kinds: readonly K[],
): Outcome<StreamMessage<K>> {
  if (event !== 'put' && event !== 'patch' && event !== 'delete') return ignored(`event ${JSON.stringify(event)}`);
  // Checked before parsing: millions of empty objects take a hundred times the memory of their text.
  if (data.length > MAX_PARTS && countParts(data) > MAX_PARTS)
    return refused(`the data of a ${event} holds more than ${MAX_PARTS} objects and lists`);
  const message = parse(data);
  if (!isJsonObject(message)) return refused(`the data of a ${event} is not a JSON object`);
  const { path = '' } = message;
  if (typeof path !== 'string') return refused(`the path of a ${event} is not a string`);
  if (event === 'put')
    return path === '' || path === '/' ? accepted({ kind: 'put', data: message.data }) : ignored(`put of ${path}`);
  const place = readPath(path, kinds);
  if (!place) return ignored(`${event} of ${path}`);
  if (event === 'delete') {
    const { version } = message;
    if (typeof version !== 'number') return refused(`the delete of ${path} has no version`);
    return accepted({ kind: 'delete', ...place, version });
  }
  if (message.data === undefined) return refused(`the patch of ${path} has no data`);
  return accepted({ kind: 'patch', ...place, item: message.data });
}

function ignored(what: string): Outcome<{ readonly kind: 'ignored'; readonly what: string }> {
  return accepted({ kind: 'ignored', what });
}

function readPath<K extends string>(path: string, kinds: readonly K[]) {
  for (const items of kinds) {
    const prefix = `/${items}/`;
    if (path.startsWith(prefix) && path.length > prefix.length) return { items, key: path.slice(prefix.length) };
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
