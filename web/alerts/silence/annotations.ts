import type { Alert, LabelSet, PostableSilence, Silence } from '../../../src/alerts/contract/wire.ts';
import { matchersOfLabels } from '../parts/matcher-text.ts';

/** Annotations of silences whose meaning server and page know. */
export const EXPIRE_WHEN_RESOLVED = 'expire_when_resolved';
export const ACKNOWLEDGED_UNTIL = 'acknowledged_until';
export const TICKET = 'ticket';

/** The first end of an acknowledgement, which the server renews while its alert fires. */
const FIRST_END_MS = 15 * 60_000;
/** After this time an alert that still fires notifies again. */
const LIMIT_MS = 24 * 3_600_000;

type Annotated = Pick<Silence, 'annotations'>;

/** The last end of an acknowledgement, in epoch milliseconds; undefined for any other silence. */
export function acknowledgedUntil({ annotations }: Annotated): number | undefined {
  const at = Date.parse(annotations?.[ACKNOWLEDGED_UNTIL] ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** Whether the silence expires with the last alert that it matches. */
export function endsWithAlerts(silence: Annotated): boolean {
  return silence.annotations?.[EXPIRE_WHEN_RESOLVED] === 'true' || acknowledgedUntil(silence) !== undefined;
}

/** The annotations that the page does not show in another way. */
export function otherAnnotations({ annotations = {} }: Annotated): readonly [name: string, value: string][] {
  const known = [EXPIRE_WHEN_RESOLVED, ACKNOWLEDGED_UNTIL, TICKET];
  return Object.entries(annotations).filter(([name]) => !known.includes(name));
}

/** The annotations of a form over those of its silence; an acknowledgement keeps its limit. Undefined: none. */
export function formAnnotations(before: LabelSet | undefined, expires: boolean, ticket: string): LabelSet | undefined {
  const { [EXPIRE_WHEN_RESOLVED]: _, [ACKNOWLEDGED_UNTIL]: limit, [TICKET]: __, ...others } = before ?? {};
  const ending = limit === undefined ? { [EXPIRE_WHEN_RESOLVED]: 'true' } : { [ACKNOWLEDGED_UNTIL]: limit };
  const annotations = { ...others, ...(expires && ending), ...(ticket !== '' && { [TICKET]: ticket }) };
  return Object.keys(annotations).length > 0 ? annotations : undefined;
}

/** The annotations of a new silence like that one: no acknowledgement, but expiring with its alerts if that one did. */
export function recreatedAnnotations(silence: Annotated): LabelSet | undefined {
  const { [ACKNOWLEDGED_UNTIL]: _, ...annotations } = silence.annotations ?? {};
  return formAnnotations(annotations, endsWithAlerts(silence), annotations[TICKET] ?? '');
}

/** The acknowledgement of exactly one alert. */
export function acknowledgementOf(
  { labels }: Pick<Alert, 'labels'>,
  createdBy: string,
  comment: string,
  now: number,
): PostableSilence {
  return {
    matchers: matchersOfLabels(labels),
    startsAt: new Date(now).toISOString(),
    endsAt: new Date(now + FIRST_END_MS).toISOString(),
    createdBy,
    comment,
    annotations: { [ACKNOWLEDGED_UNTIL]: new Date(now + LIMIT_MS).toISOString() },
  };
}

/** A silence as it is posted to change it. */
function postableOf({ id, matchers, startsAt, endsAt, createdBy, comment, annotations }: Silence): PostableSilence {
  return { id, matchers, startsAt, endsAt, createdBy, comment, ...(annotations && { annotations }) };
}

/**
 * The silence with an end that is later by `ms`. Of an acknowledgement it is the limit; the server moves the end, and would refuse one
 * that has passed when the request arrives.
 */
export function extended(silence: Silence, ms: number, now: number): PostableSilence {
  const limit = acknowledgedUntil(silence);
  const endsAt = Date.parse(silence.endsAt);
  const instant = (at: number) => new Date(at).toISOString();
  if (limit === undefined) return { ...postableOf(silence), endsAt: instant(endsAt + ms) };
  const annotations: LabelSet = { ...silence.annotations, [ACKNOWLEDGED_UNTIL]: instant(limit + ms) };
  return { ...postableOf(silence), endsAt: instant(Math.max(endsAt, now + FIRST_END_MS)), annotations };
}

/** A new silence in place of one that was expired before its end. */
export function revived(silence: Silence, now: number): PostableSilence {
  const { id: _, ...content } = postableOf(silence);
  return { ...content, startsAt: new Date(Math.max(now, Date.parse(silence.startsAt))).toISOString() };
}
