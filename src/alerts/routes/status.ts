import type { HttpContext, HttpHandler } from '../../kernel/http/app.ts';
import { formatInstant } from '../contract/instant.ts';
import { type MatcherReading, readParameters, readReceiverMatchers } from '../contract/query.ts';
import type { ServerStatus, VersionInfo } from '../contract/wire.ts';
import type { Pairs } from '../domain/notification.ts';
import { receiverMatches } from '../domain/receiver.ts';
import type { Answers } from './answers.ts';
import { refuseUnacceptable } from './guards.ts';

export interface StatusRoutes {
  readonly answers: Answers;
  readonly reading: MatcherReading;
  /** The configuration in force as YAML. */
  readonly config: () => string;
  /** The labels of all receivers, in the order of the configuration. */
  readonly receivers: () => readonly Pairs[];
  readonly cluster: () => ServerStatus['cluster'];
  readonly version: VersionInfo;
  readonly startedAt: number;
}

/** GET /status */
export function readStatus({ answers, config, cluster, version, startedAt }: StatusRoutes): HttpHandler {
  return (c) => {
    const unacceptable = refuseUnacceptable(c, answers);
    if (unacceptable) return unacceptable;
    return answers.json(c, {
      cluster: cluster(),
      config: { original: config() },
      uptime: formatInstant(startedAt),
      versionInfo: version,
    } satisfies ServerStatus);
  };
}

/** GET /receivers: all receivers of the configuration, used or not. */
export function listReceivers({ answers, reading, receivers }: StatusRoutes): HttpHandler {
  return (c: HttpContext) => {
    const unacceptable = refuseUnacceptable(c, answers);
    if (unacceptable) return unacceptable;
    const matchers = readReceiverMatchers(readParameters(c.req.url).getAll('receiver_matchers'), reading);
    if (!matchers.ok) return answers.refuse(c, 400, matchers.reason);
    const wanted = receivers().filter((labels) => receiverMatches(labels, matchers.value));
    return answers.json(
      c,
      wanted.map((labels) => ({ labels, name: labels.name })),
    );
  };
}
