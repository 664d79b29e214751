import type { Boot, SignInBoot } from '../../src/rooms/contract/boot.ts';
import { browserClock } from '../shared/clock.ts';
import { App } from './app.ts';
import { openOutboxStorage } from './composer/outbox-storage.ts';
import { parsePath } from './route.ts';
import { createApi } from './session.ts';
import { pageHeader } from './shell/page-header.ts';
import { signInPage } from './sign-in.ts';
import { language, loadTexts } from './text/text.ts';

document.documentElement.lang = language;
await loadTexts();

const boot = JSON.parse(document.getElementById('boot')?.textContent || 'null') as Boot | SignInBoot | null;

function askWhoItIs(auth: Boot['auth']): void {
  const api = createApi(browserClock, { auth, user: null });
  const page = signInPage(auth, parsePath(location.pathname).invite, api);
  document.body.replaceChildren(pageHeader(browserClock, page), page);
}

if (boot?.user) {
  // The database opens while the page is drawn; only sending waits for it.
  const opening = openOutboxStorage();
  const storage = {
    all: async () => (await opening).all(),
    put: async (item: Parameters<Awaited<typeof opening>['put']>[0]) => (await opening).put(item),
    remove: async (id: string) => (await opening).remove(id),
  };
  new App(boot, browserClock, storage, () => askWhoItIs(boot.auth)).start();
} else askWhoItIs(boot?.auth ?? 'token');
