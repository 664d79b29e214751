import type { JsonObject } from '../message/message.ts';
import { isInstant, isLabels, isNumber, isText, listOf, objectOf, orMissing } from './card-shape.ts';

/** The result of a command, for clients that show cards. All instants are RFC 3339. */
export interface CommandCard {
  readonly kind: 'command';
  readonly command: string;
  /** The user's id. */
  readonly by: string;
  readonly silence?: {
    readonly id: string;
    readonly matchers: readonly string[];
    readonly startsAt: string;
    readonly endsAt: string;
    readonly comment: string;
  };
  /** Of `/silence` its matchers; of `/alerts` the matching alerts. */
  readonly alerts?: CommandAlerts;
  /** Of `/alerts`: the list is updated until then. */
  readonly liveUntil?: string;
}

export interface CommandAlerts {
  readonly count: number;
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
  silence: orMissing(
    objectOf({ id: isText, matchers: listOf(isText), startsAt: isInstant, endsAt: isInstant, comment: isText }),
  ),
  alerts: orMissing(
    objectOf({ count: isNumber, listed: listOf(objectOf({ labels: isLabels, summary: isText, state: isText })) }),
  ),
  liveUntil: orMissing(isInstant),
});

/** The command card of a message, if it has a valid one. */
export function readCommandCard(card: JsonObject | null): CommandCard | undefined {
  return card?.kind === 'command' && isWhole(card) ? (card as unknown as CommandCard) : undefined;
}
