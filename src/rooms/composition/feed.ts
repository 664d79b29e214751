import { randomBytes } from 'node:crypto';
import { MemoryTickets } from '../authentication/tickets.ts';
import { EventLog } from '../feed/event-log.ts';
import { Presence } from '../feed/presence.ts';
import { RoomFeed } from '../feed/room-feed.ts';
import { SharedPresence } from '../nodes/shared-presence.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { StoredState } from '../store/store.ts';
import { type ComposeInputs, random } from './core.ts';

const MAX_STREAMS_PER_USER = 20;
const MAX_STREAMS = 10_000;

interface FeedInputs {
  readonly inputs: ComposeInputs;
  readonly stored: StoredState;
  readonly state: RoomState;
  readonly writer: RoomWriter;
}

/** Streams, presence and tickets; the first listeners to a commit. */
export function composeFeed({ inputs, stored, state, writer }: FeedInputs) {
  const { store, nodes, clock, log, options } = inputs;
  const now = () => clock.now();
  const presence = options.presence ? new Presence(state, now) : undefined;
  const shared = presence && nodes ? new SharedPresence(presence, nodes.signals, now) : undefined;
  const watcher = shared ?? presence;
  const feed = new RoomFeed({
    state,
    store,
    clock,
    log,
    epoch: stored.epoch,
    pos: stored.pos,
    firstPos: stored.firstPos,
    nodeId: options.nodeId,
    maxPerUser: options.auth === 'token' ? MAX_STREAMS_PER_USER : Number.POSITIVE_INFINITY,
    maxStreams: options.maxStreams ?? MAX_STREAMS,
    random,
    ...(watcher ? { watcher } : {}),
  });
  const tickets = nodes?.openTickets(state) ?? new MemoryTickets({ clock, state, random: randomBytes });
  presence?.announceBy(feed);
  writer.onCommit((committed, { removal, restart }) => {
    if (removal) feed.forgetLog(removal.firstPos);
    if (restart) feed.restart(restart);
    feed.publish(committed);
    presence?.follow(committed);
    tickets.follow?.(committed);
  });
  nodes?.subscribe(() => feed.announceStorage(nodes.away?.since));
  return { feed, presence, tickets, log: new EventLog(feed, clock) };
}
