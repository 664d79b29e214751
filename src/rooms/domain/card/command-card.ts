import type { JsonObject } from '../message/message.ts';
import { isInstant, isLabels, isNumber, isText, listOf, objectOf, orMissing } from './card-shape.ts';

/** The result of a command, for clients that show cards. All instants are RFC 3339. */
export interface CommandCard {
  readonly kind: 'command';
  readonly command: string;
  /** The user's id. */
  readonly by: string;
  /** A heading, where the command's name says too little. */
  readonly title?: string;
  readonly actions?: readonly CardAction[];
  readonly silence?: {
    readonly id: string;
    readonly matchers: readonly string[];
    readonly startsAt: string;
    readonly endsAt: string;
    readonly comment: string;
    /** The user who ended it early. */
    readonly endedBy?: string;
  };
  /** Of `/silence` its matchers; of `/alerts` the matching alerts. */
  readonly alerts?: CommandAlerts;
  /** Of `/alerts` and `/status`: the message is updated until then. */
  readonly liveUntil?: string;
  readonly poll?: CardPoll;
  /** Of the timeline that is pinned in the room of an incident. */
  readonly incident?: CardIncident;
}

/** A button: a command line that its presser gives in reply to the message. */
export interface CardAction {
  readonly name: string;
  readonly label: string;
  readonly line: string;
  /** Useless afterwards. */
  readonly until?: string;
}

export interface CardPoll {
  readonly question: string;
  readonly options: readonly { readonly text: string; readonly voters: readonly string[] }[];
  readonly closed: boolean;
}

export interface CardIncident {
  readonly title: string;
  readonly fromRoomId: string;
  readonly startedBy: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly notes: readonly { readonly at: string; readonly by: string; readonly text: string }[];
}

export interface CommandAlerts {
  readonly count: number;
  /** Of `/silence`: those that no other silence holds. */
  readonly newlySilenced?: number;
  /** The first alerts. */
  readonly listed: readonly {
    readonly fingerprint: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly summary: string;
    readonly startedAt: string;
    readonly state: string;
  }[];
}

export const commandJson = (card: CommandCard): JsonObject => card as unknown as JsonObject;

const isWhole = objectOf({
  command: isText,
  by: isText,
  title: orMissing(isText),
  actions: orMissing(listOf(objectOf({ name: isText, label: isText, line: isText, until: orMissing(isInstant) }))),
  silence: orMissing(
    objectOf({
      id: isText,
      matchers: listOf(isText),
      startsAt: isInstant,
      endsAt: isInstant,
      comment: isText,
      endedBy: orMissing(isText),
    }),
  ),
  alerts: orMissing(
    objectOf({
      count: isNumber,
      newlySilenced: orMissing(isNumber),
      listed: listOf(objectOf({ labels: isLabels, summary: isText, state: isText })),
    }),
  ),
  liveUntil: orMissing(isInstant),
  poll: orMissing(
    objectOf({
      question: isText,
      options: listOf(objectOf({ text: isText, voters: listOf(isText) })),
      closed: (value) => typeof value === 'boolean',
    }),
  ),
  incident: orMissing(
    objectOf({
      title: isText,
      fromRoomId: isText,
      startedBy: isText,
      startedAt: isInstant,
      endedAt: orMissing(isInstant),
      notes: listOf(objectOf({ at: isInstant, by: isText, text: isText })),
    }),
  ),
});

/** The command card of a message, if it has a valid one. */
export function readCommandCard(card: JsonObject | null): CommandCard | undefined {
  return card?.kind === 'command' && isWhole(card) ? (card as unknown as CommandCard) : undefined;
}
