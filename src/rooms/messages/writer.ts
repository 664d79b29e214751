import { messageJsonOf } from '../contract/message-json.ts';
import type { Caller } from '../domain/caller.ts';
import { type Change, joinWrite } from '../domain/change.ts';
import type { FileRef } from '../domain/file/file.ts';
import { findMessage } from '../domain/message/access.ts';
import { checkEdit, decideEdit, type EditRules } from '../domain/message/edit.ts';
import type { StoredMessage } from '../domain/message/message.ts';
import type { MessageOutcome } from '../domain/message/outcome.ts';
import { decidePin } from '../domain/message/pin.ts';
import { checkPost, decidePost, type PostDraft, type PostRules, probePost } from '../domain/message/post.ts';
import { decideReaction } from '../domain/message/reaction.ts';
import { decideRemoval } from '../domain/message/removal.ts';
import { decideRewrite, type RewriteTarget } from '../domain/message/rewrite.ts';
import { accepted, type Outcome } from '../domain/refusal.ts';
import type { FileStore } from '../files/file-store.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { RoomStore } from '../store/store.ts';
import type { FurtherWrite, MessageEdit, Messages, Post, Posted } from './messages.ts';

export interface MessageWriterParts {
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly writer: RoomWriter;
  readonly files: Pick<FileStore, 'hold'>;
  readonly rules: PostRules & EditRules;
}

type Files = ReadonlyMap<string, FileRef>;
const NO_FILES: Files = new Map();
const NONE: readonly string[] = [];

/** Posts, edits and removes messages, and reacts to and pins them. */
export class MessageWriter implements Messages {
  readonly #parts: MessageWriterParts;

  constructor(parts: MessageWriterParts) {
    this.#parts = parts;
  }

  async post(caller: Caller, post: Post, further?: FurtherWrite): Promise<Outcome<Posted>> {
    const { rules, writer } = this.#parts;
    const checked = checkPost(draftOf(post), caller, rules);
    if (!checked.ok) return checked;
    const draft = checked.value;
    const posted = await this.#withFiles(caller, draft.attachments, (files) =>
      writer.submit({
        messages: referredBy(draft),
        decide(view) {
          const decided = decidePost(view, caller, draft, files, rules);
          return further && decided.ok && decided.write ? joinWrite(decided, further(view)) : decided;
        },
      }),
    );
    return posted.ok ? accepted(postedOf(posted.value)) : posted;
  }

  async check(caller: Caller, post: Post): Promise<Outcome<null>> {
    const { rules, writer } = this.#parts;
    const checked = checkPost(draftOf(post), caller, rules);
    if (!checked.ok) return checked;
    const draft = checked.value;
    return writer.submit({ messages: referredBy(draft), decide: (view) => probePost(view, caller, draft, rules) });
  }

  async edit(caller: Caller, id: string, edit: MessageEdit, ifMatch?: string): Promise<Outcome<StoredMessage>> {
    const { rules } = this.#parts;
    const checked = checkEdit(edit, rules);
    if (!checked.ok) return checked;
    const { attachments = [] } = checked.value;
    return this.#withFiles(caller, attachments, (files) =>
      this.#submit({
        messages: [id],
        decide: (view) => decideEdit(view, caller, id, checked.value, files, ifMatch, rules),
      }),
    );
  }

  async remove(
    caller: Caller,
    id: string,
    options: { readonly reason?: string | undefined; readonly ifMatch?: string | undefined },
  ): Promise<Outcome<StoredMessage>> {
    const found = await this.find(caller, id);
    if (!found.ok) return found;
    const { threadId } = found.value.message;
    const messages = threadId === null ? [id] : [id, threadId];
    return this.#submit({ messages, decide: (view) => decideRemoval(view, caller, id, options) });
  }

  async rewrite(target: RewriteTarget, rewrite: Parameters<Messages['rewrite']>[1]): Promise<Outcome<StoredMessage>> {
    const { rules } = this.#parts;
    return this.#submit({ messages: [target.id], decide: (view) => decideRewrite(view, target, rewrite, rules) });
  }

  async react(caller: Caller, id: string, emoji: string, reacts: boolean): Promise<Outcome<StoredMessage>> {
    return this.#submit({
      messages: [id],
      reactions: [{ messageId: id, emoji, userId: caller.user.id }],
      decide: (view) => decideReaction(view, caller, id, emoji, reacts),
    });
  }

  async pin(caller: Caller, id: string, pinned: boolean): Promise<Outcome<StoredMessage>> {
    return this.#submit({ messages: [id], decide: (view) => decidePin(view, caller, id, pinned) });
  }

  async find(caller: Caller, id: string): Promise<Outcome<StoredMessage>> {
    const { state, store } = this.#parts;
    const [stored] = await store.messages([id]);
    const found = findMessage(state, caller, id, stored);
    return found.ok ? accepted(found.value.stored) : found;
  }

  async #submit(change: Change<MessageOutcome>): Promise<Outcome<StoredMessage>> {
    const outcome = await this.#parts.writer.submit(change);
    return outcome.ok ? accepted(postedOf(outcome.value).stored) : outcome;
  }

  /** Protects the files from removal until the decision. */
  #withFiles<T>(caller: Caller, ids: readonly string[], use: (files: Files) => Promise<T>): Promise<T> {
    return ids.length === 0 ? use(NO_FILES) : this.#withHeld(caller, ids, use);
  }

  async #withHeld<T>(caller: Caller, ids: readonly string[], use: (files: Files) => Promise<T>): Promise<T> {
    const held = await this.#parts.files.hold(caller, ids);
    try {
      return await use(held.files);
    } finally {
      held.release();
    }
  }
}

/** `replayed`: without a commit. */
function postedOf(outcome: MessageOutcome): Posted {
  if (!('committed' in outcome)) return { stored: outcome, replayed: true };
  const { event, data } = outcome.committed;
  if (!('message' in event)) throw new Error(`${event.type} holds no message`);
  const { contentHash } = outcome;
  return { stored: { message: event.message, json: messageJsonOf(data), contentHash }, replayed: false };
}

/** The other messages that a post refers to. */
function referredBy({ id, replyTo, threadId }: PostDraft): readonly string[] {
  if (replyTo === null && threadId === null) return id === undefined ? NONE : [id];
  return [id, replyTo, threadId].filter((other) => typeof other === 'string');
}

function draftOf(post: Post): PostDraft {
  return {
    room: post.room,
    id: post.id,
    type: post.type ?? 'text',
    body: post.body,
    format: post.format ?? 'markdown',
    replyTo: post.replyTo ?? null,
    threadId: post.threadId ?? null,
    alsoInRoom: post.alsoInRoom ?? false,
    attachments: post.attachments ?? [],
    card: post.card ?? null,
    silent: post.silent ?? false,
    status: post.status ?? 'complete',
    run: post.run ?? null,
    byServer: post.byServer ?? false,
  };
}
