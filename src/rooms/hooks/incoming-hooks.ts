import * as v from 'valibot';
import { alertWebhook } from '../contract/alert-webhook.ts';
import { hookCaller } from '../domain/hook/caller.ts';
import type { IncomingHook } from '../domain/hook/hook.ts';
import { guessKind, type IncomingBody, readIncomingPost } from '../domain/message/incoming-post.ts';
import type { StoredMessage } from '../domain/message/message.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { Messages } from '../messages/messages.ts';
import type { AlertCards } from './alert-cards.ts';

/** The result of a post. */
export interface Received {
  readonly stored: StoredMessage;
  readonly kind: IncomingHook['kind'];
  readonly isNew: boolean;
}

/** Posts what incoming hooks receive into their rooms. */
export class IncomingHooks {
  readonly #messages: Messages;
  readonly #cards: AlertCards;

  constructor(messages: Messages, cards: AlertCards) {
    this.#messages = messages;
    this.#cards = cards;
  }

  async receive(hook: IncomingHook, body: IncomingBody): Promise<Outcome<Received>> {
    const kind = hook.kind === 'auto' ? guessKind(body) : hook.kind;
    return kind === 'alertmanager' ? this.#showAlerts(hook, body) : this.#post(hook, kind, body);
  }

  async #showAlerts(hook: IncomingHook, body: IncomingBody): Promise<Outcome<Received>> {
    if (body.form === 'text') return refuse('invalid_body', "this hook takes Alertmanager's webhook, which is JSON");
    const parsed = v.safeParse(alertWebhook, body.json, { abortEarly: true });
    if (!parsed.success) {
      const [issue] = parsed.issues;
      const path = v.getDotPath(issue) ?? '';
      return refuse('invalid_body', `not an Alertmanager webhook: ${path === '' ? '' : `${path}: `}${issue.message}`, {
        path,
      });
    }
    const shown = await this.#cards.show({ roomId: hook.roomId, caller: hookCaller(hook, hook.roomId) }, parsed.output);
    return shown.ok
      ? accepted({ stored: shown.value, kind: 'alertmanager', isNew: shown.value.message.version === 1 })
      : shown;
  }

  async #post(
    hook: IncomingHook,
    kind: Exclude<IncomingHook['kind'], 'auto' | 'alertmanager'>,
    body: IncomingBody,
  ): Promise<Outcome<Received>> {
    const read = readIncomingPost(body, kind);
    if (!read.ok) return read;
    const { threadId = hook.threadId, ...post } = read.value;
    const posted = await this.#messages.post(hookCaller(hook, hook.roomId), { room: hook.roomId, ...post, threadId });
    if (!posted.ok) return posted;
    return accepted({ stored: posted.value.stored, kind, isNew: !posted.value.replayed });
  }
}
