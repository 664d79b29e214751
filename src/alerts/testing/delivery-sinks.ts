import type { SinkAnswer } from '../../testing/http/sink.ts';
import { startHttpSink } from '../../testing/http/sink.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { startJiraSink } from './jira-sink.ts';
import { type SmtpSinkOptions, startSmtpSink } from './smtp-sink.ts';
import { PUBLISHED } from './sns-sink.ts';
import { startWebhookSink } from './webhook-sink.ts';

/** A notification as received. */
export interface ReceivedNotification {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Distinguishes a repeated notification from a new one; empty if the service has nothing of the kind. */
  readonly idempotencyKey: string;
  readonly payload: {
    readonly groupKey: string;
    readonly alerts: readonly {
      readonly status: 'firing' | 'resolved';
      readonly fingerprint: string;
      readonly labels: Readonly<Record<string, string>>;
    }[];
  };
}

/** A receiver of notifications that records them. */
export interface RecordingSink {
  /** The integrations of a receiver, as the configuration has them. */
  readonly yaml: string;
  /** In the order of arrival. */
  readonly calls: readonly ReceivedNotification[];
}

export interface RecordingSinkOptions {
  /** The answer to a notification; a success by default. */
  readonly answer?: (call: ReceivedNotification) => SinkAnswer | Promise<SinkAnswer>;
  /** Whether it answers requests before a notification; by default it does. */
  readonly isReady?: () => boolean;
  /** Called when it does not answer to that. */
  readonly onRefusal?: () => void;
}

/** Starts one on a port of its own. */
export type StartRecordingSink = (t: Cleanup, options?: RecordingSinkOptions) => Promise<RecordingSink>;

/** The tested payload fields of a webhook, as templates; in YAML it may stand between single quotes. */
const ALERT =
  '{"status":"{{ .Status }}","fingerprint":"{{ .Fingerprint }}","labels":{"instance":"{{ .Labels.instance }}"}}';
const PAYLOAD =
  '{"groupKey":"{{ .GroupLabels.alertname }}","alerts":' +
  `[{{ range $i, $_ := .Alerts }}{{ if $i }},{{ end }}${ALERT}{{ end }}]}`;

export const startRecordingWebhook: StartRecordingSink = async (t, { answer } = {}) => {
  const { url, calls } = await startWebhookSink(t, answer);
  return { yaml: `webhook_configs: [{url: "${url}/hook"}]`, calls };
};

/** A mail server. The command before a mail leaves is DATA. */
export function startRecordingMailbox(way: Pick<SmtpSinkOptions, 'offers' | 'implicitTls'> = {}): StartRecordingSink {
  return async (t, { answer, isReady = () => true, onRefusal } = {}) => {
    const calls: ReceivedNotification[] = [];
    const replyOf = (answered: SinkAnswer) => {
      if (typeof answered === 'string') return answered;
      return isRefusal(answered) ? '451 4.3.0 later' : undefined;
    };
    const script = (command: string, message: string) => {
      if (command === 'DATA' && !isReady()) {
        onRefusal?.();
        return 'hang';
      }
      if (command !== 'MESSAGE') return undefined;
      const call = readNotification(decodeQuotedPrintable(message));
      calls.push(call);
      return mapAnswer(answer?.(call) ?? {}, replyOf);
    };
    const { port } = await startSmtpSink(t, { ...way, script });
    const requireTls = way.offers?.includes('STARTTLS') ?? false;
    const server =
      `smarthost: "127.0.0.1:${port}", require_tls: ${requireTls}, force_implicit_tls: ${way.implicitTls ?? false}, ` +
      'tls_config: {insecure_skip_verify: true}';
    const mail = `from: alerts@example.org, to: ops@example.org, send_resolved: true, html: "", text: '${PAYLOAD}'`;
    return { yaml: `email_configs: [{${server}, ${mail}}]`, calls };
  };
}

/** The request before a message is for a token, valid for that message alone. */
export const startRecordingSns: StartRecordingSink = async (t, { answer, isReady = () => true, onRefusal } = {}) => {
  const calls: ReceivedNotification[] = [];
  const { url } = await startHttpSink(t, ({ path, body }) => {
    if (path === '/token') {
      if (isReady()) return { body: '{"access_token":"t","token_type":"bearer","expires_in":1}' };
      onRefusal?.();
      return 'hang';
    }
    const call = readNotification(new URLSearchParams(body).get('Message') ?? '');
    calls.push(call);
    return mapAnswer(answer?.(call) ?? {}, (answered) => (isRefusal(answered) ? answered : PUBLISHED));
  });
  const access = 'sigv4: {region: eu-west-1, access_key: AKIAEXAMPLE, secret_key: hush}';
  const token = `http_config: {oauth2: {client_id: a, client_secret: b, token_url: "${url}/token"}}`;
  const message = `topic_arn: "arn:aws:sns:eu-west-1:123456789012:alerts", subject: alerts, message: '${PAYLOAD}'`;
  return { yaml: `sns_configs: [{api_url: "${url}", ${access}, ${token}, ${message}}]`, calls };
};

/** A notification is the request that writes an issue; the request before it is the search for the issue. */
export const startRecordingJira: StartRecordingSink = async (t, { answer, isReady = () => true, onRefusal } = {}) => {
  const calls: ReceivedNotification[] = [];
  const { url } = await startJiraSink(t, (step, issue) => {
    if (step === 'search' && !isReady()) {
      onRefusal?.();
      return 'hang';
    }
    if (!issue || (step !== 'create' && step !== 'update')) return undefined;
    const call = readNotification(issue.description);
    calls.push(call);
    return mapAnswer(answer?.(call) ?? {}, (answered) => (isRefusal(answered) ? answered : undefined));
  });
  const issue = `project: OPS, issue_type: Incident, summary: alerts, description: '${PAYLOAD}'`;
  return { yaml: `jira_configs: [{api_url: "${url}", ${issue}}]`, calls };
};

function mapAnswer<T>(answer: SinkAnswer | Promise<SinkAnswer>, map: (answer: SinkAnswer) => T): T | Promise<T> {
  return answer instanceof Promise ? answer.then(map) : map(answer);
}

function isRefusal(answer: SinkAnswer): boolean {
  return typeof answer === 'string' || (answer.status ?? 200) >= 300;
}

function readNotification(text: string): ReceivedNotification {
  const payload = JSON.parse(text) as ReceivedNotification['payload'];
  return { at: Date.now(), idempotencyKey: '', payload };
}

/** The JSON in a message of one part. */
function decodeQuotedPrintable(message: string): string {
  const whole = message
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return whole.slice(whole.indexOf('{"groupKey"'), whole.lastIndexOf('}') + 1);
}
