import { ROOT } from '../root.ts';
import type { OutboxItem, OutboxStorage } from './outbox.ts';

/** Named by path: behind a proxy other servers may have the same origin. */
const DATABASE = `opsdeck-rooms${ROOT}`;
const STORE = 'outbox';

/** The browser's database; where it is forbidden, items are kept until the page is closed. */
export async function openOutboxStorage(): Promise<OutboxStorage> {
  const database = await openDatabase();
  if (!database) return { all: async () => [], put: async () => {}, remove: async () => {} };
  const run = <Value>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<Value>, otherwise: Value) =>
    new Promise<Value>((resolve) => {
      try {
        const transaction = database.transaction(STORE, mode, { durability: 'strict' });
        const request = act(transaction.objectStore(STORE));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onerror = () => resolve(otherwise);
        transaction.onabort = () => resolve(otherwise);
      } catch {
        resolve(otherwise);
      }
    });
  return {
    all: () => run<OutboxItem[]>('readonly', (store) => store.getAll() as IDBRequest<OutboxItem[]>, []),
    async put(item) {
      await run<IDBValidKey>('readwrite', (store) => store.put(item), '');
    },
    async remove(id) {
      await run<undefined>('readwrite', (store) => store.delete(id), undefined);
    },
  };
}

function openDatabase(): Promise<IDBDatabase | undefined> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.open(DATABASE, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'id' });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(undefined);
      request.onblocked = () => resolve(undefined);
    } catch {
      resolve(undefined);
    }
  });
}
