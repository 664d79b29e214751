import { systemClock } from '../../kernel/clock.ts';
import { type Listener, listen } from '../../kernel/http/server.ts';
import type { TlsSettings } from '../../kernel/http/tls-front.ts';
import { giveMemoryBackNow } from '../../kernel/memory.ts';
import { answerCalls, Caller, callerProxy, logOver, type Port } from '../../kernel/threads/calls.ts';
import { Credentials } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import { Inflater } from '../event/body.ts';
import { OfrepStreams } from '../ofrep/streams.ts';
import { observeBoth } from '../request-observer.ts';
import { forwardTo } from '../routes/forwarded.ts';
import { createRelayApp } from '../routes/index.ts';
import { ChangeReader } from '../workers/change-reader.ts';
import type { MainMethods, WorkerMethods, WorkerOptions } from '../workers/contract.ts';
import { JournalTally } from '../workers/journal-tally.ts';
import { Replica } from '../workers/replica.ts';
import { RequestTally } from '../workers/tally.ts';
import { WorkerEvents } from '../workers/worker-events.ts';
import { listenOptions, openRegistry } from './listening.ts';
import { clientPaths } from './paths.ts';

/** Runs in a worker thread: answers requests from copies of the environments, and passes on what only the main thread can do. */
export function serveRelayWorker(port: Port, given: unknown): void {
  const options = given as WorkerOptions;
  answerCalls(port, composeWorker(options, port));
}

function composeWorker(given: WorkerOptions, port: Port): WorkerMethods {
  const { relay: options, changes, newest } = given;
  const { app, registry, replica, report, flush } = composeApp(given, port);
  const reader = new ChangeReader(changes, newest, (change) => replica.apply(change));
  let { tls } = given;
  let listener: Listener | undefined;
  return {
    async listen(address) {
      listener = await listen({
        ...listenOptions({ ...options, ...address }, tls && (() => tls as TlsSettings), registry, systemClock),
        fetch: (request, env) => {
          reader.catchUp();
          return app.fetch(request, env);
        },
        isShared: true,
      });
      const { url, addresses } = listener;
      return { url, addresses };
    },
    async secureWith(next) {
      tls = next;
    },
    report: async () => report(),
    rest: async () => giveMemoryBackNow(),
    async close(deadlineMs) {
      await listener?.close(deadlineMs);
      await registry.close();
      await flush();
    },
  };
}

/** The paths of clients over copies of the environments; all others lead to the main thread. */
function composeApp({ relay: options, main: mainPort, isDebugging }: WorkerOptions, port: Port) {
  const clock = systemClock;
  const log = { ...logOver(port), debugging: isDebugging };
  const caller = new Caller(mainPort, { log, revive: () => undefined });
  const main = callerProxy<MainMethods>(caller);
  const credentials = new Credentials();
  const registry = openRegistry(options, clock);
  const ofrep = new OfrepStreams(registry);
  const replica = new Replica({
    credentials,
    registry,
    initTimeoutMs: options.initTimeoutMs,
    clock,
    // The main thread answers until this thread has ended.
    memberships: (id, keys) => main.memberships(id, keys).catch(() => new Map()),
    onRemove: (environment) => void ofrep.forget(environment),
  });
  const events = new WorkerEvents({
    options,
    inflater: new Inflater(),
    send: (batch) => caller.call('takeEvents', [batch], [batch.bodies.buffer]),
    clock,
  });
  const tally = new RequestTally();
  const journal = new JournalTally((environment) => replica.idOf(environment));
  const observer = observeBoth(tally, journal);
  const goals = { read: (envId: string) => main.goals(envId) };
  const receiverOf = (environment: Environment) => events.receiver(replica.idOf(environment));
  const app = createRelayApp({
    paths: clientPaths({ options, credentials, observer, ofrep, goals, receiverOf, clock }),
    otherwise: forwardTo((request) => main.answer(request), options.maxBodyBytes),
    clock,
    log,
  });
  return {
    app,
    registry,
    replica,
    report: () => ({ ...tally.report(replica.environments, ofrep), journal: journal.report() }),
    flush: () => events.flush(),
  };
}
