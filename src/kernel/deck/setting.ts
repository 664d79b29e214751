import { serverUrl } from '../settings/kind.ts';
import { setting } from '../settings/settings.ts';

/** The setting of a server that is started separately. */
export const DECK_URL = setting(
  '--deck-url <url>',
  serverUrl('http://127.0.0.1:8075'),
  'the hub of `opsdeck up`, whose other servers the page then links to',
  { variable: 'OPSDECK_DECK_URL' },
);
