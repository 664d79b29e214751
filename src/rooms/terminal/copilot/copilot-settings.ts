import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import { readSwitch, type Settings, splitAssignment } from '../directory/room-settings.ts';

type Reader = (key: string, value: string) => unknown;

const text: Reader = (_key, value) => value;
const textOrNull: Reader = (_key, value) => (value === '' ? null : value);
const list: Reader = (_key, value) => value.split(',').flatMap((part) => part.trim() || []);
const number: Reader = (key, value) => {
  if (value !== '' && Number.isFinite(Number(value))) return Number(value);
  throw new CommandError(`${key}: write a number`, ExitCode.usage);
};

const READERS: Readonly<Record<string, Reader>> = {
  enabled: readSwitch,
  name: text,
  provider: text,
  baseUrl: textOrNull,
  model: textOrNull,
  secretRef: textOrNull,
  instructions: text,
  trigger: text,
  triggerRoles: list,
  triggerKeywords: list,
  allowBots: readSwitch,
  replyIn: text,
  'context.messages': number,
  'context.maxTokens': number,
  'context.scope': text,
  'context.includeAlerts': readSwitch,
  'context.includeFiles': readSwitch,
  temperature: (key, value) => (value === '' ? null : number(key, value)),
  maxOutputTokens: number,
  'timeouts.connectMs': number,
  'timeouts.firstTokenMs': number,
  'timeouts.idleMs': number,
  'timeouts.totalMs': number,
  'limits.perUserPerHour': number,
  'limits.perRoomPerHour': number,
  'limits.tokensPerDay': number,
  'limits.concurrent': number,
  'limits.queue': number,
  'redact.secrets': readSwitch,
  'redact.emails': readSwitch,
  'redact.patterns': list,
};

/** A copilot's settings, changed by `model=…`, `context.messages=20` and the like. The server checks the values. */
export function changeCopilot(settings: Settings, assignments: readonly string[]): Settings {
  const changed: Record<string, unknown> = { ...settings };
  for (const assignment of assignments) {
    const [key, value] = splitAssignment(assignment);
    const read = readerOf(key);
    const [group = '', name] = key.split('.');
    changed[group] =
      name === undefined ? read(key, value) : { ...(changed[group] as Settings | undefined), [name]: read(key, value) };
  }
  return changed;
}

function readerOf(key: string): Reader {
  if (/^api-?key$/i.test(key))
    throw new CommandError(
      'a key does not belong into a command line, where others see it: --key-stdin, or OPSDECK_COPILOT_KEY',
      ExitCode.usage,
    );
  const read = Object.hasOwn(READERS, key) ? READERS[key] : undefined;
  if (read) return read;
  throw new CommandError(
    `a copilot has no setting ${key}; there are ${Object.keys(READERS).join(', ')}`,
    ExitCode.usage,
  );
}
