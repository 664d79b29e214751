import type { JsonObject } from '../message/message.ts';
import { isInstant, isLabels, isNumber, isText, listOf, objectOf, orMissing } from './card-shape.ts';

/** What a command has done, for those who see cards. All instants are RFC 3339. */
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
  /** Of `/silence`: what it matches; of `/alerts`: what was found. */
  readonly alerts?: CommandAlerts;
  /** Of `/alerts`: until when the list keeps itself up to date. */
  readonly liveUntil?: string;
}

export interface CommandAlerts {
  readonly count: number;
  /** The first ones. */
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

/** The card of a message, if it is a command's and whole. */
export function readCommandCard(card: JsonObject | null): CommandCard | undefined {
  return card?.kind === 'command' && isWhole(card) ? (card as unknown as CommandCard) : undefined;
}
