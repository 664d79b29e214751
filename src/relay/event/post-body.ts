import type { RelayOptions } from '../config/relay-options.ts';
import type { Inflater } from './body.ts';
import { DEFAULT_MAX_POST_BYTES, type EventPost, type EventReceipt } from './receiver.ts';

/** The decompressed body of a post, or the receipt of a refusal. */
export async function readPost(
  { bytes, header }: EventPost,
  { events: { maxPayloadBytes } }: Pick<RelayOptions, 'events'>,
  inflater: Inflater,
): Promise<Buffer | Exclude<EventReceipt, 'accepted'>> {
  if (bytes.length === 0) return 'empty';
  if (maxPayloadBytes > 0 && bytes.length > maxPayloadBytes) return 'unreadable';
  if (!/gzip/i.test(header('content-encoding') ?? '')) return bytes;
  const inflated = await inflater.inflate(bytes, maxPayloadBytes || DEFAULT_MAX_POST_BYTES);
  if (inflated.ok) return inflated.value.length === 0 ? 'empty' : inflated.value;
  return inflated.reason === 'too large' && maxPayloadBytes > 0 ? 'unreadable' : inflated.reason;
}
