import type { StoreWrite } from './driver.ts';

/** Requests at the same time. */
const MAX_WRITING = 10;

/** Writes items in requests of their own; `conflict` if one is `false`. Rejects with the first error, after all have ended. */
export async function writeEach(
  writes: readonly StoreWrite[],
  write: (one: StoreWrite) => Promise<boolean>,
): Promise<'written' | 'conflict'> {
  const rest = writes.values();
  let isComplete = true;
  const lane = async () => {
    for (const one of rest) if (!(await write(one))) isComplete = false;
  };
  const lanes = await Promise.allSettled(Array.from({ length: MAX_WRITING }, lane));
  for (const { status, reason } of lanes as PromiseRejectedResult[]) if (status === 'rejected') throw reason;
  return isComplete ? 'written' : 'conflict';
}
