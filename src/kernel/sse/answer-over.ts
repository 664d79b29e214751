import type { EventEmitter } from 'node:events';

const actions = new WeakMap<EventEmitter, (() => void)[]>();

/** Calls `action` once when an answer is written out, or its client gone. An answer that is a stream lasts as long as it. */
export function whenOver(outgoing: EventEmitter, action: () => void): void {
  const known = actions.get(outgoing);
  if (known) known.push(action);
  else actions.set(outgoing, [action]);
  outgoing.once('close', action);
}

/** Returns and removes the actions of `whenOver`, for code that takes the connection away from an answer. */
export function takeWhenOver(outgoing: EventEmitter): readonly (() => void)[] {
  const taken = actions.get(outgoing) ?? [];
  actions.delete(outgoing);
  for (const action of taken) outgoing.off('close', action);
  return taken;
}
