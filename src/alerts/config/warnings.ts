import { formatDuration } from '../../kernel/duration.ts';
import type { ParseWarning } from '../domain/matcher/parse.ts';
import { quoteGo } from '../domain/quote.ts';
import type { RouteSettings } from '../domain/route.ts';
import { printProblem } from './config-node.ts';
import type { Located } from './kind.ts';
import { eachRoute, type RawRoute } from './route-config.ts';
import type { RawConfig } from './sections.ts';

export function describeParseWarning(line: number | undefined, warning: ParseWarning): string {
  const { message, input, reason, suggestion } = warning;
  const because = reason === undefined ? '' : ` (${reason})`;
  return printProblem({ line, message: `${message}: ${quoteGo(input)}${because}; write ${suggestion}` });
}

/** Settings without the effect that they suggest, each with its line. */
export function collectWarnings(
  raw: RawConfig,
  route: RouteSettings,
  retentionMs: number | undefined,
): readonly string[] {
  return [...timerWarnings(raw.route, route, retentionMs), ...oldFieldWarnings(raw), ...idleSections(raw)];
}

/** Only for own values of a route: its children would repeat inherited ones. */
function timerWarnings(
  { value: raw, line }: Located<RawRoute>,
  route: RouteSettings,
  retentionMs: number | undefined,
  isRoot = true,
): readonly string[] {
  const warnings: string[] = [];
  const own = raw.repeatInterval ?? raw.groupInterval;
  const warn = (message: string) => warnings.push(printProblem({ line: own?.line ?? line, message }));
  const repeat = `repeat_interval ${formatDuration(route.repeatIntervalMs)}`;
  if ((isRoot || own) && route.repeatIntervalMs < route.groupIntervalMs) {
    const group = formatDuration(route.groupIntervalMs);
    warn(`${repeat} is less than group_interval ${group}: notifications will repeat every group_interval`);
  }
  if ((isRoot || raw.repeatInterval) && retentionMs !== undefined && route.repeatIntervalMs > retentionMs) {
    const kept = formatDuration(retentionMs);
    warn(`${repeat} is greater than the data retention period ${kept}: notifications may repeat more often`);
  }
  const below = raw.routes.flatMap((child, index) =>
    timerWarnings(child, route.routes[index] as RouteSettings, retentionMs, false),
  );
  return [...warnings, ...below];
}

/** Alertmanager refuses such a file; here it is a warning, as the character may be intended, such as in a comment. */
export function encodingWarnings(text: string): readonly string[] {
  const at = text.indexOf('\uFFFD');
  if (at < 0) return [];
  const message =
    'U+FFFD stands here, as which bytes are read that are no UTF-8: what is to match them matches nothing';
  return [printProblem({ line: text.slice(0, at).split('\n').length, message })];
}

/** A second document is ignored, which may be unexpected. */
export function idleDocumentWarnings(line: number | undefined): readonly string[] {
  const message =
    'another YAML document begins here, which has no effect: write all of the configuration into the first';
  return line === undefined ? [] : [printProblem({ line, message })];
}

/** One line per old field, however often it is used. */
function oldFieldWarnings({ route, inhibitRules, muteTimeIntervals }: RawConfig): readonly string[] {
  const uses = new Map<string, { readonly advice: string; readonly lines: (number | undefined)[] }>();
  const note = (field: string, advice: string, use: { readonly line: number | undefined } | undefined) => {
    if (!use) return;
    const seen = uses.get(field) ?? { advice, lines: [] };
    seen.lines.push(use.line);
    uses.set(field, seen);
  };
  eachRoute(route, ({ value }) => {
    note('match', 'matchers', value.match);
    note('match_re', 'matchers', value.matchRe);
  });
  for (const { value } of inhibitRules) {
    note('source_match', 'source_matchers', value.sourceMatch);
    note('source_match_re', 'source_matchers', value.sourceMatchRe);
    note('target_match', 'target_matchers', value.targetMatch);
    note('target_match_re', 'target_matchers', value.targetMatchRe);
  }
  for (const interval of muteTimeIntervals) note('mute_time_intervals', 'time_intervals', interval);
  return [...uses].map(([field, { advice, lines }]) => {
    const often = lines.length > 1 ? ` (${lines.length} times)` : '';
    return printProblem({ line: lines[0], message: `${field} is deprecated${often}; write ${advice}` });
  });
}

function idleSections({ tracing, eventRecorder }: RawConfig): readonly string[] {
  const idle = (section: Located<unknown> | undefined, message: string) =>
    section ? [printProblem({ line: section.line, message })] : [];
  const overGrpc = tracing?.value.clientType === 'grpc' ? tracing : undefined;
  const toKafka = eventRecorder?.value.kafkaOutputs.length ? eventRecorder : undefined;
  return [
    ...idle(overGrpc, 'tracing over gRPC has no effect: write client_type: http and the OTLP/HTTP endpoint'),
    ...idle(toKafka, 'kafka_outputs have no effect: write webhook_outputs or file_outputs'),
  ];
}

/** Harmless remarks. */
export function collectNotices({ receivers }: RawConfig, route: RouteSettings): readonly string[] {
  const used = new Set<string>();
  const visit = ({ receiver, routes }: RouteSettings) => {
    used.add(receiver);
    routes.forEach(visit);
  };
  visit(route);
  return receivers
    .filter(({ value }) => !used.has(value.name))
    .map(({ value, line }) => printProblem({ line, message: `no route uses receiver ${quoteGo(value.name)}` }));
}
