import { accepted } from '../../../kernel/outcome.ts';
import {
  attribute,
  bool,
  map,
  object,
  optional,
  prose,
  secret,
  template,
  text,
  type ValueOf,
  withDefault,
} from '../../config/kind.ts';
import { groupHash, type Notification } from '../../domain/notification.ts';
import { TemplateError } from '../../template/template-error.ts';
import { httpFields, inheritHttp } from '../common-fields.ts';
import { DELIVERED } from '../deliver.ts';
import type { Integration, Notifier, NotifierContext } from '../notifier.ts';
import { appendNote, cutBeforeNote } from '../template/note.ts';
import { namingTemplate } from '../template/prefix.ts';
import { failureOfAwsError, type SnsMessage, SnsPublisher } from './client.ts';

/** In bytes. Source: the limits of Amazon SNS for a message and for an SMS. */
const MAX_MESSAGE_BYTES = 256 * 1024;
const MAX_SMS_BYTES = 1600;

const sigv4 = object(
  {
    region: withDefault(text, ''),
    access_key: withDefault(text, ''),
    secret_key: withDefault(secret, ''),
    profile: withDefault(text, ''),
    role_arn: withDefault(text, ''),
    external_id: withDefault(text, ''),
    use_fips_sts_endpoint: withDefault(bool, false),
    service_name: withDefault(text, ''),
  },
  ({ accessKey, secretKey, externalId, roleArn }) => {
    if ((accessKey === '') !== (secretKey === ''))
      return 'must provide a AWS SigV4 Access key and Secret Key if credentials are specified in the SigV4 config';
    if (externalId && !roleArn) return 'external_id can only be used with role_arn';
    return undefined;
  },
);

const snsConfig = object(
  {
    ...httpFields(true),
    api_url: withDefault(template, ''),
    sigv4: optional(sigv4),
    topic_arn: withDefault(template, ''),
    phone_number: withDefault(template, ''),
    target_arn: withDefault(template, ''),
    subject: withDefault(attribute, '{{ template "sns.default.subject" . }}'),
    message: withDefault(prose, '{{ template "sns.default.message" . }}'),
    attributes: withDefault(map(template), {}),
    use_aws_http_client: withDefault(bool, false),
  },
  ({ targetArn, topicArn, phoneNumber }) => {
    // Alertmanager accepts all three as well.
    const given = [targetArn, topicArn, phoneNumber].filter((target) => target !== '').length;
    if (given === 1 || given === 3) return undefined;
    return 'must provide either a Target ARN, Topic ARN, or Phone Number for SNS config';
  },
);

export type SnsConfig = ValueOf<typeof snsConfig>;

export const snsIntegration: Integration<SnsConfig> = {
  name: 'sns',
  key: 'sns_configs',
  kind: snsConfig,
  complete: (config, global) => accepted(inheritHttp(config, global)),
  create: createSns,
  addNote: (config, note) => ({ ...config, message: appendNote(config.message, note) }),
};

function createSns(config: SnsConfig, context: NotifierContext): Notifier {
  const publisher = new SnsPublisher({ access: config.sigv4, httpConfig: config.httpConfig, context });
  return {
    async notify(notification, signal) {
      const data = context.dataOf(notification);
      const render = (field: string, source: string) =>
        namingTemplate(`execute '${field}' template`, () => context.templates.text(source, data));
      try {
        const endpoint = render('api_url', config.apiUrl);
        const message = snsMessage(config, notification, render);
        await publisher.publish(endpoint, message, { abortSignal: signal });
        return DELIVERED;
      } catch (error) {
        if (error instanceof TemplateError)
          throw new TemplateError(error.message, { ...error.details, reason: 'clientError' });
        return failureOfAwsError(error, signal, [config.sigv4?.secretKey ?? '']);
      }
    },
  };
}

function snsMessage(
  config: SnsConfig,
  notification: Notification,
  render: (field: string, source: string) => string,
): SnsMessage {
  const attributes = Object.entries(config.attributes).map(
    ([name, value]) => [render('attributes', name), render('attributes', value)] as const,
  );
  const topicArn = render('topic_arn', config.topicArn);
  const phoneNumber = render('phone_number', config.phoneNumber);
  const targetArn = render('target_arn', config.targetArn);
  const whole = render('message', config.message);
  const most = config.phoneNumber ? MAX_SMS_BYTES : MAX_MESSAGE_BYTES;
  const message = cutBeforeNote(whole, most, Buffer.byteLength, cutBytes);
  if (message !== whole) attributes.push(['truncated', 'true']);
  const hash = groupHash(notification);
  return {
    Message: message,
    MessageAttributes: Object.fromEntries(
      attributes.map(([name, value]) => [name, { DataType: 'String', StringValue: value }]),
    ),
    ...(config.topicArn ? { TopicArn: topicArn } : {}),
    ...(topicArn.endsWith('.fifo') ? { MessageDeduplicationId: hash, MessageGroupId: hash } : {}),
    ...(config.phoneNumber ? { PhoneNumber: phoneNumber } : {}),
    ...(config.targetArn ? { TargetArn: targetArn } : {}),
    ...(config.subject ? { Subject: render('subject', config.subject) } : {}),
  };
}

/** Cuts a text to whole characters within the limit, without an ellipsis: an attribute says that it was cut. */
function cutBytes(whole: string, most: number): string {
  const bytes = Buffer.from(whole);
  if (bytes.length <= most) return whole;
  let end = most;
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
