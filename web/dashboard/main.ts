import { browserClock } from '../shared/clock.ts';
import { App } from './app.ts';
import type { SettingStorage } from './settings.ts';
import { Settings } from './settings.ts';
import { WorkerClient } from './worker-client.ts';

/** Storage that a browser forbids throws at the first touch already. */
function browserStorage(): SettingStorage {
  try {
    return window.localStorage;
  } catch {
    return { getItem: () => null, setItem: () => {} };
  }
}

/** Addresses of files that index.html names: the build gives them their hashes. */
function readAddresses(): { readonly worker: string; readonly charts: string } {
  const worker = document.querySelector<HTMLMetaElement>('meta[name="worker"]');
  const charts = document.querySelector<HTMLLinkElement>('link#charts');
  if (!worker || !charts) throw new Error('index.html names no worker or no charts');
  return { worker: new URL(worker.content, document.baseURI).href, charts: charts.href };
}

const addresses = readAddresses();
const storage = browserStorage();
const worker = new WorkerClient(new Worker(addresses.worker, { type: 'module' }), (reason) => app.showBroken(reason));
const app = new App({
  worker,
  storage,
  clock: browserClock,
  settings: new Settings(storage),
  chartsAddress: addresses.charts,
});
void app.start();
