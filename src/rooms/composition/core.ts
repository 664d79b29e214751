import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Deck } from '../../kernel/deck/deck.ts';
import type { PageFiles } from '../../kernel/http/assets.ts';
import type { Log } from '../../kernel/log.ts';
import type { SecretCipher } from '../authentication/secret-cipher.ts';
import type { RoomsOptions } from '../config/rooms-options.ts';
import type { AlertRooms } from '../domain/card/alert-access.ts';
import type { ClosedSecret } from '../domain/closed-secret.ts';
import type { Announcer } from '../feed/live.ts';
import type { Presence } from '../feed/presence.ts';
import type { RoomFeed } from '../feed/room-feed.ts';
import type { Jobs } from '../nodes/jobs.ts';
import type { RoomNodes } from '../nodes/nodes.ts';
import { OutboundGuard } from '../outbound/outbound-guard.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { GuardParts } from '../routes/request/guard.ts';
import type { RoomStore } from '../store/store.ts';

export interface ComposeInputs {
  readonly options: RoomsOptions;
  readonly store: RoomStore;
  /** `undefined`: the store is that of this server alone. */
  readonly nodes?: RoomNodes | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** The files of the page; without them the server has none. */
  readonly page?: PageFiles | undefined;
  /** Those that its page links to. */
  readonly deck?: Deck;
}

/** What every part needs. */
export interface RoomsCore extends ComposeInputs {
  readonly firstPos: number;
  readonly state: RoomState;
  readonly writer: RoomWriter;
  readonly guard: GuardParts;
  readonly newId: () => string;
  /** The open streams of this node; `announce` sends an event that is not stored. */
  readonly feed: RoomFeed;
  /** To the streams of all nodes. */
  readonly announcer: Announcer;
  readonly jobs: Jobs;
  /** `undefined`: presence is off. */
  readonly presence: Presence | undefined;
  /** Sends requests to addresses that users have entered. */
  readonly outbound: OutboundGuard;
  readonly cipher: SecretCipher;
  readonly closedSecrets: () => readonly ClosedSecret[];
  readonly alertRooms: AlertRooms;
}

export function openOutbound({ outboundProxy }: RoomsOptions, connectTimeoutMs: number): OutboundGuard {
  return new OutboundGuard({ connectTimeoutMs, proxyUrl: outboundProxy });
}

export function refuseUrl(outbound: OutboundGuard, url: string, allowPrivate: boolean): string | undefined {
  const checked = outbound.check(url, { allowPrivate });
  return checked.ok ? undefined : checked.reason;
}

/** From 0 up to 1. */
export const random = (): number => randomBytes(4).readUInt32BE() / 2 ** 32;

/** Of the JSON of a room with its copilot's instructions, in bytes. */
export const MAX_OBJECT_BYTES = 256 * 1024;
