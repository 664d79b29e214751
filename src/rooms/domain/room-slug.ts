import type { StateView } from './change.ts';
import { type Refusal, refuse } from './refusal.ts';
import { isReservedSlug } from './reserved-id.ts';

const LONGEST = 64;
const MOST_TRIES = 100;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What people type for a room of that name. */
export function deriveSlug(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');
  if (slug === '') return 'room';
  return UUID.test(slug) ? `room-${slug}` : slug;
}

/** Whether a slug may be the room's; `undefined`: it may. */
export function checkSlug(view: StateView, slug: string, roomId: string): Refusal | undefined {
  // A path names a room by its id or its slug, so none may look like the other.
  if (UUID.test(slug)) return refuse('invalid_body', 'slug: must not look like an id', { path: 'slug' });
  if (isFree(view, slug, roomId)) return undefined;
  const reason = isReservedSlug(slug) ? `the slug ${slug} is reserved` : `there is a room ${slug} already`;
  return refuse('name_taken', `${reason}; choose another slug`, { path: 'slug' });
}

/** The slug, or the next of its kind that is free. */
export function freeSlug(view: StateView, slug: string, newRoomId: string): string {
  if (isFree(view, slug, newRoomId)) return slug;
  for (let n = 2; n < MOST_TRIES; n++) {
    const next = withSuffix(slug, String(n));
    if (isFree(view, next, newRoomId)) return next;
  }
  return withSuffix(slug, newRoomId.slice(-12));
}

/** A deleted room holds its slug only until another one wants it. */
function isFree(view: StateView, slug: string, roomId: string): boolean {
  const holder = view.get('slug', slug)?.roomId;
  if (holder === roomId) return true;
  if (isReservedSlug(slug)) return false;
  return holder === undefined || view.get('room', holder)?.deletedAt !== null;
}

const withSuffix = (slug: string, suffix: string): string =>
  `${slug.slice(0, LONGEST - suffix.length - 1).replace(/-+$/, '')}-${suffix}`;
