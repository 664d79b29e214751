import type { Clock } from '../../kernel/clock.ts';
import type { WireCommand } from '../contract/command.ts';
import type { RunRequests } from '../copilot/run/requests.ts';
import type { RoomAccess } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { CommandCard } from '../domain/card/command-card.ts';
import type { CommandLine } from '../domain/command/line.ts';
import type { StoredMessage } from '../domain/message/message.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../domain/refusal.ts';
import type { RoomContext } from '../domain/room/create.ts';
import type { Room } from '../domain/room/room.ts';
import type { Scope } from '../domain/token/token.ts';
import type { FileStore } from '../files/file-store.ts';
import type { AlertCards } from '../hooks/alert-cards.ts';
import type { Messages, Post, Posted } from '../messages/messages.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { RoomStore } from '../store/store.ts';
import type { AlertUsers } from './alert-users.ts';
import type { CommandPosts } from './command-posts.ts';
import type { LiveAlertLists } from './live-alert-lists.ts';

/** A slash command: a file of its own, and a line in `list.ts`. */
export interface SlashCommand<Arguments = unknown> extends WireCommand {
  /** Reads the arguments; pure. */
  read(line: CommandLine, now: number): Outcome<Arguments>;
  run(request: CommandRequest, args: Arguments, parts: CommandParts): CommandResult | Promise<CommandResult>;
}

/** A command that was posted. */
export interface CommandRequest {
  readonly caller: Caller;
  readonly post: Post;
  readonly access: RoomAccess;
  /** The id of its message, chosen before anything is done, so that silences and the like can refer to it. */
  readonly id: string;
}

/** The answer of a command: a message for the room, a changed message, or a text for the caller alone. */
export type CommandAnswer =
  | { readonly kind: 'posted'; readonly posted: Posted }
  | { readonly kind: 'changed'; readonly stored: StoredMessage }
  | { readonly kind: 'notice'; readonly text: string; readonly card: CommandCard | null };

export type CommandResult = Outcome<CommandAnswer>;

/** The message of a command. */
export interface CommandMessage {
  /** Markdown that says all that the card does, for clients without cards. */
  readonly body: string;
  readonly card: CommandCard;
  /** Ids of files. */
  readonly attachments?: readonly string[];
}

/** The parts of the server that commands use. */
export interface CommandParts {
  /** All commands, in the order of `/help`. */
  readonly commands: readonly SlashCommand[];
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly posts: CommandPosts;
  readonly cards: AlertCards;
  readonly alertUsers: AlertUsers;
  readonly lists: LiveAlertLists;
  readonly runs: Pick<RunRequests, 'ask'>;
  readonly submit: RoomWriter['submit'];
  readonly messages: Messages;
  readonly files: Pick<FileStore, 'receive'>;
  readonly roomContext: RoomContext;
  readonly clock: Clock;
  /** The URL of a message. */
  readonly permalink: (room: Room, messageId: string) => string;
}

/** Refuses the arguments of a command, and shows how to write it. */
export const refuseArguments = ({ help }: Pick<SlashCommand, 'help'>, reason: string): Refusal =>
  refuse('invalid_body', `${reason}. ${help}`);

export const notice = (text: string, card: CommandCard | null = null): CommandResult =>
  accepted({ kind: 'notice', text, card });

export const cardOf = ({ caller }: Pick<CommandRequest, 'caller'>, command: string): CommandCard => ({
  kind: 'command',
  command,
  by: caller.user.id,
});

/** For what a request of its own would need a further scope for. */
export const requireScope = ({ scopes }: Caller, scope: Scope): Refusal | undefined =>
  scopes.has(scope) ? undefined : refuse('scope_missing', `the token lacks the scope ${scope}`);
