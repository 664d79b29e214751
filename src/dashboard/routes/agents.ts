import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpContext } from '../../kernel/http/app.ts';
import type { AgentChanges } from '../agents/changes.ts';
import type { AgentId } from '../agents/event.ts';
import type { AgentRange, AgentSource } from '../agents/source.ts';
import type { EventRequest } from '../contract/event-request.ts';
import { answerJson } from './answers.ts';
import { answerEvents } from './event-stream.ts';
import type { Paths } from './index.ts';

export interface AgentRouteParts {
  readonly source: AgentSource;
  readonly changes: Pick<AgentChanges, 'open'>;
  readonly now: () => number;
}

/** Without assistants these paths are unknown. */
export function agentPaths(parts: AgentRouteParts | undefined): Paths {
  if (!parts) return {};
  return {
    '/api/agents': { GET: (c) => answerJson(c, parts.source.status()) },
    '/api/agents/changes': {
      GET: (c) => {
        const outgoing = c.env?.outgoing as ServerResponse | undefined;
        if (!outgoing) throw new Error('a stream needs a connection');
        parts.changes.open(outgoing);
        return RESPONSE_ALREADY_SENT;
      },
    },
  };
}

/**
 * Answers an assistant's requests as they are now. With `changedAfter` these are all from the oldest changed one on, which
 * replace what the client has from there (`from` in the head); nothing if nothing has changed.
 */
export async function answerAgentEvents(
  c: HttpContext,
  { source, now }: AgentRouteParts,
  agent: AgentId,
  request: EventRequest,
): Promise<Response> {
  const { version } = source;
  const range = await rangeOf(source, agent, request);
  const head = {
    user: agent,
    totalUsageEventsCount: range ? await source.count(agent, range) : 0,
    cached: false,
    fetchedAt: new Date(now()).toISOString(),
    truncated: false,
    version,
    ...(request.changedAfter === undefined || !range ? {} : { from: range.startAt }),
  };
  return answerEvents(c, head, range ? source.events(agent, range, c.req.raw.signal) : []);
}

/** Undefined: nothing has changed. */
async function rangeOf(
  source: AgentSource,
  agent: AgentId,
  { startAt = 0, endAt, changedAfter }: EventRequest,
): Promise<(AgentRange & { readonly startAt: number }) | undefined> {
  if (changedAfter === undefined) return { startAt, endAt };
  if (changedAfter === source.version) return undefined;
  // A greater version is of another database: everything counts as changed.
  const from = await source.changedFrom(agent, changedAfter > source.version ? 0 : changedAfter);
  return from === undefined ? undefined : { startAt: Math.max(startAt, from), endAt };
}
