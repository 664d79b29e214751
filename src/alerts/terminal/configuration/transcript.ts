import type { ChalkInstance } from 'chalk';
import type { Delivery } from '../../integrations/notifier.ts';
import { printableLines } from './local-config.ts';
import type { Exchange } from './recorded-http.ts';
import type { Redaction } from './redaction.ts';

/** The exchange with one integration, without secrets. */
export interface Transcript {
  readonly integration: string;
  readonly index: number;
  readonly result: 'sent' | 'failed' | 'not sent';
  /** Why it failed, or why nothing was sent. */
  readonly error?: string;
  /** Whether a retry may succeed. */
  readonly retry?: boolean;
  readonly exchanges: readonly ShownExchange[];
  /** A message that is not an HTTP request, such as an e-mail. */
  readonly message?: string;
}

interface ShownExchange {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status?: number;
  readonly answer?: string;
  readonly error?: string;
  readonly durationMs: number;
}

export function showExchange({ request, answer, error, durationMs }: Exchange, redaction: Redaction): ShownExchange {
  const { method, url, headers = {}, body } = request;
  return {
    method,
    url: redaction.url(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redaction.header(name, value)])),
    ...(body !== undefined && { body: redaction.text(body) }),
    ...(answer && { status: answer.status, answer: redaction.answer(answer.text) }),
    ...(error !== undefined && { error: redaction.answer(error) }),
    durationMs,
  };
}

/** The result of an attempt, without secrets. */
export function resultOf(delivery: Delivery, redaction: Redaction): Pick<Transcript, 'result' | 'error' | 'retry'> {
  if (delivery.ok) return { result: 'sent' };
  return { result: 'failed', error: redaction.answer(delivery.error), retry: delivery.retry };
}

/** Characters shown of an answer; more would fill the screen. */
const MAX_ANSWER = 2000;
/** Characters shown of an error, which often repeats the answer. */
const MAX_ERROR = 300;
const MAX_QUERY = 100;

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** JSON with one value per line. */
function unfolded(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}

function indented(text: string, margin: string): string[] {
  return text.trim() === '' ? [] : printableLines(text).map((line) => `${margin}${line}`.trimEnd());
}

/** A form or query with one field per line. */
function formLines(form: string): string[] {
  const fields = [...new URLSearchParams(form)].filter(([, value]) => value !== '');
  return fields.flatMap(([name, value]) => indented(`${name}=${value}`, '    '));
}

function requestLines({ method, url, headers, body = '' }: ShownExchange, colors: ChalkInstance): string[] {
  const [address = '', query] = url.split(/\?(.*)/s);
  // A message in a query reads better line by line.
  const isLong = query !== undefined && query.length > MAX_QUERY;
  const lines = [`  ${colors.cyan(method)} ${printableLines(isLong ? address : url).join('')}`];
  for (const [name, value] of Object.entries(headers))
    lines.push(...indented(`${name}: ${value}`, '  ').map((line) => colors.dim(line)));
  if (isLong) lines.push(...formLines(query));
  const isForm = Object.entries(headers).some(
    ([name, value]) => /^content-type$/i.test(name) && value.includes('x-www-form-urlencoded'),
  );
  return [...lines, ...(isForm ? formLines(body) : indented(unfolded(body), '    '))];
}

function exchangeLines(exchange: ShownExchange, colors: ChalkInstance): string[] {
  const { status, answer = '', error, durationMs } = exchange;
  const lines = requestLines(exchange, colors);
  if (status !== undefined) {
    const style = status >= 200 && status < 300 ? colors.green : colors.red;
    lines.push(
      `  ${style(`answered ${status}`)} after ${durationMs} ms`,
      ...indented(shortened(unfolded(answer), MAX_ANSWER), '    '),
    );
  } else if (error !== undefined) {
    lines.push(`  ${colors.red('no answer')} after ${durationMs} ms: ${printableLines(error).join(' ')}`);
  }
  return lines;
}

/** The transcript as text: the integration, each request with its answer, then the result. */
export function printTranscript(transcript: Transcript, colors: ChalkInstance): string {
  const { integration, index, result, error, retry, exchanges, message } = transcript;
  const lines = [colors.bold(`${integration}[${index}]`), ...exchanges.flatMap((one) => exchangeLines(one, colors))];
  if (message !== undefined) lines.push(...indented(message, '    '));
  const style = { sent: colors.green, failed: colors.red, 'not sent': colors.yellow }[result];
  const why = error === undefined ? '' : `: ${shortened(printableLines(error).join(' '), MAX_ERROR)}`;
  const hint = result === 'failed' && retry ? ' (the server would try again)' : '';
  lines.push(`  ${style(result)}${why}${hint}`);
  return lines.map((line) => `${line}\n`).join('');
}
