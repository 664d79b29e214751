import { DECK_URL } from '../../kernel/deck/setting.ts';
import { boolean, type Kind, kindOf, listenPort, serverUrl, text } from '../../kernel/settings/kind.ts';
import { setting } from '../../kernel/settings/settings.ts';
import { AGENTS, type AgentId } from '../agents/event.ts';

const MAX_TTL_SECONDS = 86_400;

const ttl = kindOf(`seconds from 0 (keep nothing) to ${MAX_TTL_SECONDS}`, (found) =>
  /^\d+(\.\d+)?$/.test(found) && Number(found) <= MAX_TTL_SECONDS ? Number(found) : undefined,
);
const cookieName = kindOf('the name of a cookie, such as UpstreamSessionToken', (found) =>
  /^[\w-]{1,64}$/.test(found) ? found : undefined,
);

const someAgents = kindOf(`some of ${AGENTS.join(',')}`, (found) => {
  const names = found
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const isKnown = names.length > 0 && names.every((name) => AGENTS.some((agent) => agent === name));
  return isKnown ? AGENTS.filter((agent) => names.includes(agent)) : undefined;
});
/** Assistants by their names; the flag alone means all of them. */
const agents: Kind<readonly AgentId[]> = {
  ...someAgents,
  read: (written) => someAgents.read(written === true ? AGENTS.join() : written),
};

/** The setting of the assistants whose logs are read; the report has it too. */
export const AGENTS_SETTING = setting('--agents [names]', agents, 'read the logs of assistants on this machine too', {
  otherwise: `none; without names: ${AGENTS.join()}`,
  variable: 'USAGE_AGENTS',
});
export const PRICES_SETTING = setting('--prices <file>', text, 'a price table for the logs of assistants', {
  otherwise: 'the list prices inside',
  variable: 'USAGE_PRICES',
});

/** The settings of `dashboard serve`; sessions and addresses of users have variables of their own (config.ts). */
export const SETTINGS = {
  host: setting('--host <address>', text, 'where to listen', { default: '127.0.0.1', variable: 'USAGE_WEB_HOST' }),
  port: setting('--port <port>', listenPort, 'where to listen; 0 for any free port', {
    default: '8060',
    variable: 'USAGE_WEB_PORT',
  }),
  project: setting('--project <folder>', text, 'the folder whose data/ and .env are used', {
    otherwise: 'the current one',
  }),
  upstreamUrl: setting('--upstream-url <url>', serverUrl('https://cursor.com'), 'where live usage comes from', {
    default: 'https://cursor.com',
    variable: 'USAGE_UPSTREAM_URL',
  }),
  users: setting('--users <names>', text, 'whose usage it is, such as info,slope', {
    otherwise: 'info,slope',
    variable: 'USAGE_USERS',
  }),
  agents: AGENTS_SETTING,
  prices: PRICES_SETTING,
  allowRemote: setting('--allow-remote', boolean, 'answer other machines, which then can read everything'),
  deckUrl: DECK_URL,
  cookieName: {
    kind: cookieName,
    variable: 'USAGE_SESSION_COOKIE',
    default: 'UpstreamSessionToken',
    // A token may have been pasted here.
    isSecret: true,
  },
  cacheTtlSeconds: { kind: ttl, variable: 'USAGE_EVENTS_CACHE_TTL', default: '120' },
  allowedHosts: { kind: text, variable: 'USAGE_WEB_ALLOWED_HOSTS' },
} as const;
