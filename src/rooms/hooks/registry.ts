import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SecretCipher } from '../authentication/secret-cipher.ts';
import { roomOf } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import {
  createHook,
  findHook,
  type HookDraft,
  type HookSecret,
  mayManage,
  noSuchHook,
  removeHook,
  replaceHook,
} from '../domain/hook/change.ts';
import type { Hook, HookProgress, IncomingHook, OutgoingHook } from '../domain/hook/hook.ts';
import { printSigningSecret } from '../domain/hook/webhook-signature.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { OutboundGuard } from '../outbound/outbound-guard.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { OutgoingHooks } from './outgoing-hooks.ts';

const SECRET_BYTES = 32;
const MAX_HOOKS_OF_A_ROOM = 100;

export interface HookRegistryParts {
  readonly state: RoomState;
  readonly writer: RoomWriter;
  readonly outgoing: OutgoingHooks;
  readonly guard: OutboundGuard;
  readonly cipher: SecretCipher;
  readonly newId: () => string;
}

/** A hook, with its secret if that is new; secrets are shown once. */
export interface ShownHook {
  readonly hook: Hook;
  readonly secret?: string;
}

/** Creates, lists, changes and removes hooks. */
export class HookRegistry {
  readonly #parts: HookRegistryParts;

  constructor(parts: HookRegistryParts) {
    this.#parts = parts;
  }

  /** The hooks that the caller may manage, the oldest first. */
  list(caller: Caller): readonly Hook[] {
    const { state } = this.#parts;
    const hooks = [...state.all('hook').values()].filter((hook) => mayManage(state, caller, hook));
    return hooks.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  find(caller: Caller, id: string): Outcome<Hook> {
    return findHook(this.#parts.state, caller, id);
  }

  progressOf(id: string): HookProgress | undefined {
    return this.#parts.outgoing.progressOf(id);
  }

  async create(caller: Caller, draft: HookDraft): Promise<Outcome<ShownHook>> {
    const { state, writer, newId, outgoing } = this.#parts;
    const wanted = typeof draft.roomId === 'string' ? roomOf(state, draft.roomId)?.id : null;
    const siblings = [...state.all('hook').values()].filter(({ roomId }) => roomId === wanted);
    if (siblings.length >= MAX_HOOKS_OF_A_ROOM)
      return refuse('limit_reached', `a room has at most ${MAX_HOOKS_OF_A_ROOM} hooks`);
    const id = newId();
    const made = this.#makeSecret(id, draft.direction);
    const created = await writer.submit(createHook(caller, id, draft, made.stored, this.#checkUrl));
    if (!created.ok) return created;
    const { hook, pos } = created.value;
    if (hook.direction === 'outgoing') await outgoing.begin(id, pos);
    return accepted({ hook, secret: made.shown });
  }

  async replace(
    caller: Caller,
    id: string,
    {
      rotateSecret = false,
      ...draft
    }: Omit<HookDraft, 'direction' | 'roomId'> & { readonly rotateSecret?: boolean | undefined },
    ifMatch: string | undefined,
  ): Promise<Outcome<ShownHook>> {
    const found = this.find(caller, id);
    if (!found.ok) return found;
    const made = rotateSecret ? this.#makeSecret(id, found.value.direction) : undefined;
    const replaced = await this.#parts.writer.submit(
      replaceHook(caller, id, draft, made?.stored, ifMatch, this.#checkUrl),
    );
    return replaced.ok ? accepted({ hook: replaced.value, ...(made ? { secret: made.shown } : {}) }) : replaced;
  }

  remove(caller: Caller, id: string, ifMatch: string | undefined): Promise<Outcome<Hook>> {
    return this.#parts.writer.submit(removeHook(caller, id, ifMatch));
  }

  /** Delivers again from a position on, inclusive. */
  async redeliver(caller: Caller, id: string, pos: number): Promise<Outcome<OutgoingHook>> {
    const found = this.find(caller, id);
    if (!found.ok) return found;
    if (found.value.direction !== 'outgoing') return refuse('invalid_body', 'an incoming hook has no deliveries');
    if (!found.value.enabled) return refuse('invalid_body', 'the hook is not enabled; enable it first');
    const last = this.#parts.writer.pos;
    if (pos > last) return refuse('invalid_query', `from: the last position is ${last}`, { path: 'from' });
    return this.#parts.outgoing.rewind(found.value, pos - 1);
  }

  /** The incoming hook of an id and secret; a wrong id and a wrong secret look the same. */
  open(id: string, secret: string): Outcome<IncomingHook> {
    const hook = this.#parts.state.get('hook', id);
    const expected = Buffer.from(hook?.direction === 'incoming' ? hook.secretHash : hashOf(''), 'hex');
    const isRight = timingSafeEqual(expected, Buffer.from(hashOf(secret), 'hex'));
    return hook?.direction === 'incoming' && isRight ? accepted(hook) : noSuchHook(id);
  }

  readonly #checkUrl = (url: string, allowPrivate: boolean) => {
    const checked = this.#parts.guard.check(url, { allowPrivate });
    return checked.ok ? undefined : checked;
  };

  #makeSecret(id: string, direction: Hook['direction']): { readonly shown: string; readonly stored: HookSecret } {
    const bytes = randomBytes(SECRET_BYTES);
    if (direction === 'incoming') {
      const shown = bytes.toString('base64url');
      return { shown, stored: { hash: hashOf(shown) } };
    }
    const shown = printSigningSecret(bytes);
    return { shown, stored: { sealed: this.#parts.cipher.seal(`hook/${id}`, shown, 'webhook') } };
  }
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
