import { printMessageEvent, printObjectEvent } from '../contract/event.ts';
import type { Change, Decision, Fence, Write } from '../domain/change.ts';
import type { EventDraft } from '../domain/event.ts';
import type { Outcome } from '../domain/refusal.ts';
import type { PreparedEvent, PreparedWrite } from '../store/store.ts';
import type { BatchView } from './change-view.ts';

/** The texts of a batch, in UTF-16 units, end with the one that reaches this: a storage elsewhere must be quick to take them. */
const MAX_CHARS = 2 ** 20;

/** A submitted change. */
export interface Waiting {
  readonly change: Change<unknown>;
  readonly settle: (outcome: Outcome<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/** An accepted change, and what it writes. */
export interface Decided {
  readonly waiting: Waiting;
  readonly decision: Extract<Decision<unknown>, { ok: true }>;
  readonly write: PreparedWrite | undefined;
}

/** The leases under which changes are written, each once. */
export function fencesOf(decided: readonly Decided[]): readonly Fence[] {
  const fences = new Map<string, Fence>();
  for (const { waiting } of decided) {
    for (const fence of waiting.change.fences ?? []) fences.set(`${fence.id} ${fence.fence}`, fence);
  }
  return [...fences.values()];
}

/** Decides changes in order. `rest`: those not yet decided. */
export function decideAll(
  batch: readonly Waiting[],
  view: BatchView,
): { readonly decided: readonly Decided[]; readonly rest: readonly Waiting[] } {
  const decided: Decided[] = [];
  let chars = 0;
  for (let index = 0; index < batch.length; index++) {
    const waiting = batch[index] as Waiting;
    let isShown = false;
    try {
      const decision = waiting.change.decide(view);
      if (!decision.ok) {
        waiting.settle(decision);
        continue;
      }
      isShown = true;
      const write = decision.write ? prepare(decision.write, view) : undefined;
      decided.push({ waiting, decision, write });
      chars += write ? charsOf(write) : 0;
      if (chars >= MAX_CHARS) return { decided, rest: batch.slice(index + 1) };
    } catch (error) {
      waiting.reject(error);
      // The view holds writes that were refused, so the remaining changes are decided on a new one.
      if (isShown) return { decided, rest: batch.slice(index + 1) };
    }
  }
  return { decided, rest: [] };
}

/** Fills in facts that follow from a write, such as the member count after a join. */
function prepare(write: Write, view: BatchView): PreparedWrite {
  view.add(write);
  return { ...write, events: (write.events ?? []).map((draft) => ({ draft, body: printBody(draft, view) })) };
}

function printBody(draft: EventDraft, view: BatchView): PreparedEvent['body'] {
  if (draft.type === 'message.created') return null;
  return 'message' in draft ? printMessageEvent(draft) : printObjectEvent(draft, view);
}

function charsOf({ events }: PreparedWrite): number {
  return events.reduce((sum, { draft, body }) => sum + (body?.length ?? textLength(draft)), 0);
}

function textLength(draft: EventDraft): number {
  if (draft.type !== 'message.created') return 0;
  const { body, card } = draft.message;
  return body.length + (card ? JSON.stringify(card).length : 0);
}
