import { CommandError, ExitCode } from '../../../kernel/errors.ts';

export type Settings = Readonly<Record<string, unknown>>;

const TEXTS = new Set(['name', 'slug', 'topic', 'description', 'visibility', 'historyVisibility']);
const SWITCHES = new Set(['readOnly', 'archived']);
const WORDS = [...TEXTS, ...SWITCHES, 'slowModeSeconds', 'retention.days', 'retention.maxMessages', 'label.<key>'];

/** A room's settings, changed by `topic=…`, `label.team=payments` and the like. The server checks the values. */
export function changeRoom(room: Settings, assignments: readonly string[]): Settings {
  return assignments.reduce((before, assignment) => applyOne(before, ...splitAssignment(assignment)), room);
}

/** `key=value`, as a pair. */
export function splitAssignment(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)];
  throw new CommandError(`"${text}": write key=value, such as topic="who is on call"`, ExitCode.usage);
}

function applyOne(room: Settings, key: string, value: string): Settings {
  if (TEXTS.has(key)) return { ...room, [key]: value };
  if (SWITCHES.has(key)) return { ...room, [key]: readSwitch(key, value) };
  if (key === 'slowModeSeconds') return { ...room, [key]: readCount(key, value) };
  const [group, name = ''] = splitKey(key);
  if (group === 'retention' && (name === 'days' || name === 'maxMessages')) {
    const count = value === '' || value === 'null' ? null : readCount(key, value);
    return { ...room, retention: { ...asObject(room.retention), [name]: count } };
  }
  if (group === 'label' && name !== '') {
    const { [name]: _, ...others } = asObject(room.labels);
    return { ...room, labels: value === '' ? others : { ...others, [name]: value } };
  }
  throw new CommandError(`a room has no setting ${key}; there are ${WORDS.join(', ')}`, ExitCode.usage);
}

function splitKey(key: string): readonly [string, string?] {
  const at = key.indexOf('.');
  return at === -1 ? [key] : [key.slice(0, at), key.slice(at + 1)];
}

const asObject = (value: unknown): Settings => (typeof value === 'object' && value !== null ? (value as Settings) : {});

export function readSwitch(key: string, value: string): boolean {
  if (/^(true|on|yes|1)$/i.test(value)) return true;
  if (/^(false|off|no|0)$/i.test(value)) return false;
  throw new CommandError(`${key}: write on or off`, ExitCode.usage);
}

function readCount(key: string, value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new CommandError(`${key}: write a whole number`, ExitCode.usage);
}

/** Several `team=payments` as an object. */
export function readLabels(labels: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(labels.map(splitAssignment));
}
