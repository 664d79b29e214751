import * as v from 'valibot';
import type { Outcome } from '../../kernel/outcome.ts';
import { type UpstreamFailed, unexpected } from './answer.ts';

/** One page of events as upstream sends it. */
export interface EventPage {
  /** Each as its JSON text. */
  readonly events: readonly string[];
  /** The number in the whole range, if upstream sends it. */
  readonly total: number | undefined;
  /** Equal for a page that is sent again. */
  readonly signature: string;
}

const eventSchema = v.looseObject({ timestamp: v.union([v.string(), v.number()]) });
const pageSchema = v.looseObject({
  totalUsageEventsCount: v.nullish(v.union([v.number(), v.pipe(v.string(), v.digits())])),
  usageEventsDisplay: v.nullish(v.array(eventSchema)),
  // The name of the list in the administrators' API.
  usageEvents: v.nullish(v.array(eventSchema)),
});
/** The only fields of a page without events: an error with status 200 has others. */
const KEYS_OF_NOTHING = new Set(['totalUsageEventsCount', 'usageEventsDisplay', 'usageEvents', 'pagination']);

type WireEvent = v.InferOutput<typeof eventSchema>;

/** Reads a page; an unknown shape is a failure, never “no events”. */
export function readEventPage(value: unknown): Outcome<EventPage, UpstreamFailed> {
  const isKnown = v.is(pageSchema, value);
  const list = isKnown ? (value.usageEventsDisplay ?? value.usageEvents) : undefined;
  if (!isKnown || (!list && Object.keys(value).some((key) => !KEYS_OF_NOTHING.has(key))))
    return { ok: false, failure: unexpected('the upstream answer is not a list of events') };
  const events = list ?? [];
  const total = value.totalUsageEventsCount ?? undefined;
  const page: EventPage = {
    events: events.map((event) => JSON.stringify(event)),
    total: total === undefined || !Number.isFinite(Number(total)) ? undefined : Number(total),
    signature: JSON.stringify([identify(events[0]), identify(events.at(-1))]),
  };
  return { ok: true, value: page };
}

function identify(event: WireEvent | undefined): readonly unknown[] {
  return [event?.timestamp, event?.model, event?.conversationId];
}
