import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Chalk } from 'chalk';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { printable, printableJson } from '../../kernel/terminal/printable.ts';
import { showList } from '../../kernel/terminal/show.ts';
import type { Cell } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { type MarkerDocument, readMarkerInstant, selectMarkers } from '../contract/markers.ts';
import { mergeMarkers, readMarkers, type SkippedMarker } from '../domain/marker/exchange.ts';
import type { ProjectMarker } from '../domain/marker/marker.ts';
import { addMarker, endMarker, findById, findOpen, type MarkerDraft, removeMarker } from './marker/edit.ts';
import { type MarkerOriginOptions, openMarkers } from './marker/origin.ts';
import { printTime, readTimeFlag } from './marker/time.ts';

export interface MarkOptions extends MarkerOriginOptions {
  readonly json?: boolean;
}

export interface DraftOptions extends MarkOptions {
  readonly project: string;
  readonly user: string;
  readonly note: string;
}

export interface StartOptions extends DraftOptions {
  readonly at?: string;
}

export interface AddOptions extends DraftOptions {
  readonly from: string;
  readonly to?: string;
}

export interface StopOptions extends MarkOptions {
  readonly user?: string;
  readonly at?: string;
}

export interface ListOptions extends MarkOptions {
  readonly user?: string;
}

/** `mark start`: an interval that runs from now on. */
export async function startMarker(task: string, options: StartOptions, terminal: Terminal): Promise<void> {
  const now = terminal.clock.now();
  const startAt = options.at === undefined ? now : readTimeFlag(options.at, '--at', now);
  await saveDraft({ startAt, endAt: null }, task, options, terminal);
}

/** `mark add`: an interval that is over, or open without --to. */
export async function addInterval(task: string, options: AddOptions, terminal: Terminal): Promise<void> {
  const now = terminal.clock.now();
  const startAt = readTimeFlag(options.from, '--from', now);
  const endAt = options.to === undefined ? null : readTimeFlag(options.to, '--to', now);
  if (endAt !== null && endAt <= startAt) throw new CommandError('--to must be later than --from', ExitCode.usage);
  await saveDraft({ startAt, endAt }, task, options, terminal);
}

type Interval = Pick<MarkerDraft, 'startAt' | 'endAt'>;

async function saveDraft(interval: Interval, task: string, options: DraftOptions, terminal: Terminal): Promise<void> {
  const { project, user, note } = options;
  const draft: MarkerDraft = { id: `m-${randomUUID()}`, user, ...interval, project, task, note };
  const origin = await openMarkers(options, terminal);
  const saved = await origin.update((document) => addMarker(document, draft, terminal.clock.now()));
  printMarker(
    'marked',
    saved.markers.find(({ id }) => id === draft.id),
    origin.place,
    options,
    terminal,
  );
}

/** `mark stop`: ends the open interval with the latest start. */
export async function stopMarker(options: StopOptions, terminal: Terminal): Promise<void> {
  const now = terminal.clock.now();
  const endAt = options.at === undefined ? now : readTimeFlag(options.at, '--at', now);
  const origin = await openMarkers(options, terminal);
  let stoppedId = '';
  const saved = await origin.update((document) => {
    const open = findOpen(document, options.user);
    if (!open) throw new CommandError(`no marker is open in ${origin.place}`);
    if (endAt <= (readMarkerInstant(open.start) ?? 0))
      throw new CommandError(`it began at ${printTime(open.start)}: the end must be later`, ExitCode.usage);
    stoppedId = open.id;
    return endMarker(document, open.id, endAt, now);
  });
  printMarker(
    'stopped',
    saved.markers.find(({ id }) => id === stoppedId),
    origin.place,
    options,
    terminal,
  );
}

/** `mark list`: all markers, the newest first. */
export async function listMarkers(options: ListOptions, terminal: Terminal): Promise<void> {
  const origin = await openMarkers(options, terminal);
  const { markers } = selectMarkers(await origin.read(), options.user ?? 'all');
  const sorted = [...markers].sort((a, b) => Date.parse(b.start) - Date.parse(a.start));
  if (options.json) return terminal.out(`${printableJson(sorted)}\n`);
  const { dim } = new Chalk({ level: terminal.colors ? 1 : 0 });
  const rows = sorted.map(({ id, user, start, end, project, task, note }): Cell[] => [
    { text: id, style: dim, isWhole: true },
    user,
    printTime(start),
    end === null ? 'open' : printTime(end),
    project,
    task,
    note,
  ]);
  const titles = ['ID', 'USER', 'FROM', 'TO', 'PROJECT', 'TASK', 'NOTE'];
  await showList({ titles, rows }, { what: 'markers', place: origin.place }, terminal);
}

/** `mark rm`: removes markers by ids or their prefixes. */
export async function removeMarkers(ids: readonly string[], options: MarkOptions, terminal: Terminal): Promise<void> {
  const origin = await openMarkers(options, terminal);
  let removed: readonly string[] = [];
  await origin.update((document) => {
    const found = ids.map((id) => findById(document, id));
    for (const one of found) if (!one.ok) throw new CommandError(one.reason, ExitCode.usage);
    removed = found.flatMap((one) => (one.ok ? [one.value.id] : []));
    return removed.reduce<MarkerDocument>(removeMarker, document);
  });
  terminal.out(options.json ? `${printableJson(removed)}\n` : removed.map((id) => `${printable(id)}\n`).join(''));
}

/** `mark import`: merges the markers of a file; the newer of two wins, nothing is deleted. */
export async function importMarkers(file: string, options: MarkOptions, terminal: Terminal): Promise<void> {
  const read = readMarkers(parse(await readInput(file, terminal), file), terminal.clock.now());
  if (!read) throw new CommandError(`${file} is neither a marker document nor a list of markers`, ExitCode.usage);
  const { markers, skipped } = read;
  for (const one of skipped) terminal.err(`opsdeck: skipped: ${printable(explainSkipped(one))}\n`);
  const origin = await openMarkers(options, terminal);
  let counts = { added: 0, updated: 0, unchanged: 0 };
  await origin.update((document) => {
    const { markers: merged, ...report } = mergeMarkers(document.markers, markers);
    counts = report;
    return { ...document, markers: merged };
  });
  const report = { ...counts, skipped: skipped.length };
  const text = Object.entries(report)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
  terminal.out(options.json ? `${printableJson(report)}\n` : `${text} in ${printable(origin.place)}\n`);
}

/** `mark export`: the whole document, to a file or standard output. */
export async function exportMarkers(file: string | undefined, options: MarkOptions, terminal: Terminal): Promise<void> {
  const origin = await openMarkers(options, terminal);
  const text = `${printableJson(await origin.read(), 2)}\n`;
  if (file === undefined || file === '-') return terminal.out(text);
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandError(`cannot write ${file}: ${systemCodeOf(error) ?? messageOf(error)}`);
  }
}

const SKIP_REASONS: Readonly<Record<SkippedMarker['reason'], string>> = {
  'not-an-object': 'it is no object',
  'no-id': 'it has no id',
  'no-user': 'it has no user',
  start: 'its start is no time',
  end: 'its end is no time',
  'end-before-start': 'its end is not later than its start',
  'duplicate-id': 'its id comes twice',
};

function explainSkipped({ index, reason }: SkippedMarker): string {
  return `markers[${index}]: ${SKIP_REASONS[reason]}`;
}

async function readInput(file: string, terminal: Terminal): Promise<string> {
  try {
    return file === '-' ? await terminal.stdin() : terminal.readFile(file);
  } catch (error) {
    throw new CommandError(`cannot read ${file}: ${systemCodeOf(error) ?? messageOf(error)}`, ExitCode.usage);
  }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new CommandError(`${file} is not JSON`, ExitCode.usage);
  }
}

function printMarker(
  done: string,
  marker: ProjectMarker | undefined,
  place: string,
  { json }: MarkOptions,
  terminal: Terminal,
): void {
  if (!marker) return;
  if (json) {
    terminal.out(`${printableJson(marker)}\n`);
    return;
  }
  const { id, project, task, start, end } = marker;
  const what = [project, task].filter(Boolean).join(' · ');
  const when = `${printTime(start)} – ${end === null ? 'open' : printTime(end)}`;
  terminal.out(`${printable(`${done} ${what} (${when}) as ${id} in ${place}`)}\n`);
}
