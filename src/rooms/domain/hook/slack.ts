import type { JsonObject, JsonValue } from '../message/message.ts';

/**
 * The fields of Slack's incoming webhooks, of its `chat.postMessage` and of what others add for their like, besides
 * `text`. Sources: https://docs.slack.dev/reference/methods/chat.postMessage, slack_sdk/webhook/client.py,
 * https://developers.mattermost.com/integrate/webhooks/incoming
 */
const SLACK_FIELDS: ReadonlySet<string> = new Set(
  `blocks attachments channel username icon_emoji icon_url mrkdwn parse link_names unfurl_links unfurl_media metadata
  response_type replace_original delete_original thread_ts reply_broadcast as_user markdown_text file_annotation token
  props type priority`.split(/\s+/),
);

/** Links with words, and mentions by id, as only Slack writes them. */
const SLACK_MARKUP = /<(?:(?:https?:|mailto:)[^<>|\s]+\|[^<>]*|![^<>\s]+|[@#][A-Z0-9]{3,}(?:\|[^<>]*)?)>/;

/** Whether a payload is Slack's: a text alone is so only if it is sent or marked up as Slack's are. */
export function isSlackPayload(payload: JsonObject, isSlackRequest = false): boolean {
  const { text } = payload;
  if (Object.keys(payload).some((key) => SLACK_FIELDS.has(key))) return true;
  return Object.keys(payload).length === 1 && typeof text === 'string' && (isSlackRequest || SLACK_MARKUP.test(text));
}

/**
 * The text of a Slack payload as Markdown: its text, or that of its blocks, and then its attachments; `''` without any.
 * Source: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
export function flattenSlack(payload: JsonValue): string {
  if (!isObject(payload)) return '';
  const blocks = list(payload.blocks).map(flattenBlock);
  // With blocks, the text is only their summary for notifications.
  const words = blocks.some((block) => block !== '') ? blocks : [text(payload.text)];
  return joined([...words, ...list(payload.attachments).map(flattenAttachment)], '\n\n');
}

type Fields = { readonly [key: string]: JsonValue };

function isObject(value: JsonValue | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const list = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
const plain = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const text = (value: JsonValue | undefined): string => toMarkdown(plain(value));
const joined = (parts: readonly string[], by: string): string => parts.filter((part) => part !== '').join(by);

/** A text object, or a string. */
function textOf(value: JsonValue | undefined): string {
  if (!isObject(value)) return text(value);
  return value.type === 'plain_text' ? plain(value.text) : text(value.text);
}

function flattenBlock(block: JsonValue): string {
  if (!isObject(block)) return '';
  switch (block.type) {
    case 'header': {
      const words = textOf(block.text);
      return words === '' ? '' : `**${words}**`;
    }
    case 'section':
      return joined([textOf(block.text), ...list(block.fields).map(textOf)], '\n');
    case 'context':
      return joined(list(block.elements).map(elementText), ' ');
    case 'rich_text':
      return joined(list(block.elements).map(flattenRichText), '\n');
    case 'actions':
      return joined(list(block.elements).map(flattenButton), ' ');
    case 'image':
      return link(plain(block.image_url), plain(block.alt_text) || textOf(block.title));
    case 'divider':
      return '---';
    default:
      return textOf(block.text);
  }
}

function elementText(element: JsonValue): string {
  if (!isObject(element)) return '';
  return element.type === 'image' ? plain(element.alt_text) : textOf(element);
}

function flattenButton(element: JsonValue): string {
  return isObject(element) && element.type === 'button' ? link(plain(element.url), textOf(element.text)) : '';
}

function flattenRichText(element: JsonValue): string {
  if (!isObject(element)) return '';
  const parts = list(element.elements);
  switch (element.type) {
    case 'rich_text_list': {
      const ordered = element.style === 'ordered';
      return parts.map((part, index) => `${ordered ? `${index + 1}.` : '-'} ${flattenRichText(part)}`).join('\n');
    }
    case 'rich_text_quote':
      return parts
        .map(inlineText)
        .join('')
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n');
    case 'rich_text_preformatted':
      return fence(parts.map(inlineText).join(''));
    default:
      return parts.map(inlineText).join('');
  }
}

function inlineText(part: JsonValue): string {
  if (!isObject(part)) return '';
  switch (part.type) {
    case 'link':
      return link(plain(part.url), plain(part.text));
    case 'emoji':
      return `:${plain(part.name)}:`;
    case 'user':
      return plain(part.user_id);
    case 'broadcast':
      return plain(part.range);
    default:
      return styled(plain(part.text), part.style);
  }
}

function styled(words: string, style: JsonValue | undefined): string {
  if (words.trim() === '' || !isObject(style)) return words;
  if (style.code === true) return `\`${words}\``;
  // Markdown knows no emphasis that begins or ends with a blank.
  const core = words.trim();
  const begin = words.indexOf(core);
  const strong = style.bold === true ? `**${core}**` : core;
  const italic = style.italic === true ? `_${strong}_` : strong;
  const struck = style.strike === true ? `~~${italic}~~` : italic;
  return words.slice(0, begin) + struck + words.slice(begin + core.length);
}

function flattenAttachment(attachment: JsonValue): string {
  if (!isObject(attachment)) return '';
  const title = plain(attachment.title);
  const heading = attachment.title_link === undefined ? title : link(plain(attachment.title_link), title);
  const blocks = list(attachment.blocks).map(flattenBlock);
  const body = joined([text(attachment.text), ...blocks], '\n');
  const lines = [
    text(attachment.pretext),
    plain(attachment.author_name),
    heading === '' ? '' : `**${heading}**`,
    body === '' && heading === '' ? text(attachment.fallback) : body,
    ...list(attachment.fields).map(flattenField),
    plain(attachment.footer),
  ];
  return joined(lines, '\n');
}

function flattenField(field: JsonValue): string {
  if (!isObject(field)) return '';
  const [title, value] = [plain(field.title), text(field.value)];
  return title === '' ? value : `**${title}**: ${value}`;
}

function link(url: string, words: string): string {
  if (url === '') return words;
  if (words === '') return url;
  const target = url.replace(/[\s()]/g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `[${words.replaceAll(']', '\\]')}](${target})`;
}

const fence = (code: string): string => `\`\`\`\n${code}\n\`\`\``;

/** Slack's markup: `<url|words>`, `<!here>`, `<@U1>`, `*strong*`, `~struck~`; code stays unchanged. */
function toMarkdown(mrkdwn: string): string {
  return mrkdwn
    .split(/(```[\s\S]*?```|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? unescapeSlack(part) : convertWords(part)))
    .join('');
}

function convertWords(words: string): string {
  const converted = words
    .replace(/<([^<>|]*)(?:\|([^<>]*))?>/g, (_, target: string, label: string | undefined) => convertTag(target, label))
    // A blank before the closing mark is Slack's, and would be none of Markdown's.
    .replace(/(^|[\s(])\*(?=\S)([^*\n]*[^\s*])(?:\*|([ \t]+)\*(?=\s|$))/g, '$1**$2**$3')
    .replace(/(^|[\s(])~(?=\S)([^~\n]*[^\s~])(?:~|([ \t]+)~(?=\s|$))/g, '$1~~$2~~$3');
  return unescapeSlack(converted);
}

function convertTag(target: string, label: string | undefined): string {
  if (target.startsWith('!')) return `@${(label ?? target.slice(1).split('^')[0] ?? '').replace(/^@/, '')}`;
  if (target.startsWith('@') || target.startsWith('#')) return label ?? target;
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return link(target, label ?? '');
  // As Slack does; without a scheme, the page would look for it on this server.
  if (/^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?$/.test(target)) return link(`http://${target}`, label ?? '');
  if (label === undefined) return `<${target}>`;
  return label === '' ? target : `${label} (${target})`;
}

function unescapeSlack(words: string): string {
  return words.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
