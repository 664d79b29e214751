import { type AlertRooms, requireSlugGiver, type SlugGiver } from '../card/alert-access.ts';
import type { StateView } from '../change.ts';
import type { CopilotServices } from '../copilot/change.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { isReservedSlug } from '../reserved-id.ts';

/** What the creation or change of a room needs. */
export interface SlugContext extends CopilotServices {
  readonly alertRooms: AlertRooms;
}

const MAX_LENGTH = 64;
const MAX_TRIES = 100;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A slug derived from a name. */
export function deriveSlug(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '');
  if (slug === '') return 'room';
  return UUID.test(slug) ? `room-${slug}` : slug;
}

/** Why the caller may not give a room that slug; `undefined`: it may. */
export function checkSlug(view: StateView, giver: SlugGiver, slug: string, roomId: string): Refusal | undefined {
  // A path names a room by id or slug, so a slug must not look like an id.
  if (UUID.test(slug)) return refuse('invalid_body', 'slug: must not look like an id', { path: 'slug' });
  const reserved = requireSlugGiver(giver, slug);
  if (reserved) return reserved;
  if (isFree(view, slug, roomId)) return undefined;
  const reason = isReservedSlug(slug) ? `the slug ${slug} is reserved` : `there is a room ${slug} already`;
  return refuse('name_taken', `${reason}; choose another slug`, { path: 'slug' });
}

/** The slug, or the next free variant that the caller may use. */
export function freeSlug(view: StateView, giver: SlugGiver, slug: string, newRoomId: string): string {
  const mayHave = (wanted: string) => isFree(view, wanted, newRoomId) && !requireSlugGiver(giver, wanted);
  if (mayHave(slug)) return slug;
  for (let n = 2; n < MAX_TRIES; n++) {
    const next = withSuffix(slug, String(n));
    if (mayHave(next)) return next;
  }
  return withSuffix(slug, newRoomId.slice(-12));
}

/** A deleted room keeps its slug only until another room takes it. */
function isFree(view: StateView, slug: string, roomId: string): boolean {
  const holder = view.get('slug', slug)?.roomId;
  if (holder === roomId) return true;
  if (isReservedSlug(slug)) return false;
  return holder === undefined || view.get('room', holder)?.deletedAt !== null;
}

const withSuffix = (slug: string, suffix: string): string =>
  `${slug.slice(0, MAX_LENGTH - suffix.length - 1).replace(/-+$/, '')}-${suffix}`;
