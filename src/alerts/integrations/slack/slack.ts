import type { ReceiverData } from '../../domain/notification.ts';
import { quoteGo } from '../../domain/quote.ts';
import { exchange, failedForGood } from '../deliver.ts';
import { encodeJson, withoutEmpty } from '../http/payload.ts';
import { inlineOrFile, postJson } from '../http/post.ts';
import { withinTimeout } from '../http/timeout.ts';
import type { Delivery, HttpAnswer, Integration, Notifier, NotifierContext } from '../notifier.ts';
import { appendNote } from '../template/note.ts';
import { type Shorten, shortener, truncateRunes } from '../truncate.ts';
import {
  completeSlack,
  type SlackAction,
  type SlackConfig,
  type SlackField,
  slackConfig,
  slackTarget,
} from './config.ts';

export const slackIntegration: Integration<SlackConfig> = {
  name: 'slack',
  key: 'slack_configs',
  kind: slackConfig,
  complete: completeSlack,
  create: createSlack,
  addNote: (config, note) => ({ ...config, text: appendNote(config.text, note) }),
};

type Render = (template: string) => string;

const MAX_TITLE_RUNES = 1024;

function createSlack(config: SlackConfig, context: NotifierContext): Notifier {
  const target = slackTarget(config);
  const http = context.openHttp(target.http);
  return {
    async notify(notification, outerSignal) {
      const data = context.dataOf(notification);
      const shorten = shortener(context.log, { integration: 'slack', group_key: notification.groupKey });
      const message = buildMessage(config, (template) => context.templates.text(template, data), shorten);
      const url = await inlineOrFile(target.url, config.apiUrlFile, 'read api_url_file', context.readSecret);
      if (!url.ok) return failedForGood(url.reason);
      const { address, channel, body } = addressed(config, url.value, message, notification.receiverData);
      const limit = { name: 'slack', timeoutMs: config.timeout, clock: context.clock, signal: outerSignal };
      const prefix = `channel ${quoteGo(channel)}: `;
      const sent = await withinTimeout(limit, (signal) =>
        exchange(http, postJson(address, encodeJson(body), signal), { prefix, secrets: [address] }),
      );
      return !sent.ok ? sent.failure : readSlackAnswer(sent.value, prefix, config.updateMessage);
    },
  };
}

interface SlackMessage {
  readonly channel: string;
  /** All the other fields, in Slack's order. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** With update_message, the group's existing message is updated instead of a new one being sent. */
function addressed(
  { updateMessage }: SlackConfig,
  url: string,
  { channel, rest }: SlackMessage,
  { threadTs, channelId }: ReceiverData,
) {
  if (!updateMessage || !threadTs || !channelId) {
    return { address: url, channel, body: { ...withoutEmpty({ channel }), ...rest } };
  }
  const known = String(channelId);
  const address = url.replace(/chat\.postMessage$/, 'chat.update');
  return { address, channel: known, body: { channel: known, ts: String(threadTs), ...rest } };
}

function buildMessage(config: SlackConfig, render: Render, shorten: Shorten): SlackMessage {
  const attachment = buildAttachment(config, render, shorten);
  return {
    channel: render(config.channel),
    rest: {
      ...withoutEmpty({
        username: render(config.username),
        icon_emoji: render(config.iconEmoji),
        icon_url: render(config.iconUrl),
        link_names: config.linkNames,
        text: render(config.messageText),
      }),
      attachments: [attachment],
    },
  };
}

function buildAttachment(config: SlackConfig, render: Render, shorten: Shorten): unknown {
  return {
    ...withoutEmpty({
      title: shorten(render(config.title), MAX_TITLE_RUNES, 'title'),
      title_link: render(config.titleLink),
      pretext: render(config.pretext),
    }),
    text: render(config.text),
    fallback: render(config.fallback),
    callback_id: render(config.callbackId),
    ...withoutEmpty({
      fields: config.fields.map((field) => buildField(field, config.shortFields, render)),
      actions: config.actions.map((action) => buildAction(action, render)),
      image_url: render(config.imageUrl),
      thumb_url: render(config.thumbUrl),
    }),
    footer: render(config.footer),
    ...withoutEmpty({
      color: render(config.color),
      mrkdwn_in: config.mrkdwnIn.length > 0 ? config.mrkdwnIn : ['fallback', 'pretext', 'text'],
    }),
  };
}

function buildField({ title, value, short }: SlackField, shortByDefault: boolean, render: Render): unknown {
  return { ...withoutEmpty({ title: render(title), value: render(value) }), short: short ?? shortByDefault };
}

function buildAction({ type, text, url, style, name, value, confirm }: SlackAction, render: Render): unknown {
  const question = confirm && {
    text: render(confirm.text),
    title: render(confirm.title),
    ok_text: render(confirm.okText),
    dismiss_text: render(confirm.dismissText),
  };
  return withoutEmpty({
    type: render(type),
    text: render(text),
    url: render(url),
    style: render(style),
    name: render(name),
    value: render(value),
    confirm: question && withoutEmpty(question),
  });
}

/** Slack also refuses in the body: only the text `ok` and JSON with `"ok": true` are a success. */
function readSlackAnswer({ headers, text }: HttpAnswer, prefix: string, keepsIds: boolean): Delivery {
  const refusal = (error: string, retry = false): Delivery => ({
    ok: false,
    retry,
    reason: 'clientError',
    error: prefix + error,
  });
  if (!headers.get('content-type')?.startsWith('application/json')) {
    return text === 'ok' ? { ok: true } : refusal(`received an error response from Slack: ${truncateRunes(text, 200)}`);
  }
  const answer = readAnswer(text);
  if (!answer) return refusal(`could not unmarshal JSON response ${quoteGo(truncateRunes(text, 200))}`, true);
  if (answer.ok !== true) return refusal(`error response from Slack: ${answer.error ?? ''}`);
  const { ts, channel } = answer;
  return keepsIds && ts && channel ? { ok: true, receiverData: { threadTs: ts, channelId: channel } } : { ok: true };
}

function readAnswer(text: string): { ok?: unknown; error?: string; ts?: string; channel?: string } | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}
