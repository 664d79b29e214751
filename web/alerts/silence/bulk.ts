import { ApiError } from '../api.ts';

/** How an action on several items ended. */
export interface BulkResult<Item, Done> {
  readonly done: readonly { readonly item: Item; readonly result: Done }[];
  readonly failed: readonly { readonly item: Item; readonly error: ApiError }[];
}

/** Maximum concurrent requests. */
const WORKERS = 6;

/** Performs an action on each item; a failure does not keep the others from being done. The results are in their order. */
export async function performEach<Item, Done>(
  items: readonly Item[],
  perform: (item: Item) => Promise<Done>,
): Promise<BulkResult<Item, Done>> {
  const results = new Map<number, { readonly result: Done } | { readonly error: ApiError }>();
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) {
      try {
        results.set(index, { result: await perform(item) });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        results.set(index, { error });
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  const ended = items.map((item, index) => ({ item, ...results.get(index) }));
  return {
    done: ended.filter((one): one is { item: Item; result: Done } => 'result' in one),
    failed: ended.filter((one): one is { item: Item; error: ApiError } => 'error' in one),
  };
}
