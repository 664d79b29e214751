import { browserClock } from '../shared/clock.ts';
import { nextTask } from '../shared/task.ts';
import { App } from './app.ts';
import { fetchUsers } from './data/server-api.ts';
import type { SettingStorage } from './data/settings.ts';
import { Settings } from './data/settings.ts';
import { WorkerClient } from './data/worker-client.ts';

/** Forbidden storage throws on first access. */
function browserStorage(): SettingStorage {
  try {
    return window.localStorage;
  } catch {
    return { getItem: () => null, setItem: () => {} };
  }
}

/** Addresses in index.html, to which the build adds hashes. */
function readAddresses(): { readonly worker: string; readonly charts: string } {
  const worker = document.querySelector<HTMLMetaElement>('meta[name="worker"]');
  const charts = document.querySelector<HTMLLinkElement>('link#charts');
  if (!worker || !charts) throw new Error('index.html names no worker or no charts');
  return { worker: new URL(worker.content, document.baseURI).href, charts: charts.href };
}

/** In a task of its own, while worker and server are loading. */
async function buildApp(): Promise<App> {
  await nextTask();
  const storage = browserStorage();
  return new App({
    worker,
    storage,
    clock: browserClock,
    settings: new Settings(storage),
    chartsAddress: addresses.charts,
  });
}

const addresses = readAddresses();
const worker = new WorkerClient(
  new Worker(addresses.worker, { type: 'module' }),
  (reason) => void built.then((app) => app.showBroken(reason)),
);
const users = fetchUsers();
const built = buildApp();
void built.then((app) => app.start(users));
