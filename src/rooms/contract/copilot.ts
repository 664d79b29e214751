import * as v from 'valibot';
import { compileUnanchored } from '../../kernel/regexp/regexp.ts';
import type { CopilotHealth, CopilotSettings } from '../domain/copilot/copilot.ts';
import { ROLES } from '../domain/member/member.ts';
import { type Printed, printInstant, printInstantOrNull } from './instant.ts';
import { intSchema, lineSchema, objectSchema, ownedSchema, proseSchema } from './text.ts';

const MAX_MS = 600_000;
const MAX_COUNT = 1_000_000_000;
const MAX_PATTERN = 500;

const optionalInt = (min: number, max: number) => v.optional(intSchema(min, max));
const flag = v.optional(v.boolean());

/** An absolute URL of http or https, without user and fragment. */
export const baseUrlSchema = v.pipe(
  v.string(),
  v.maxLength(512, 'must have at most 512 characters'),
  v.check((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be a URL that begins with https://'),
  v.check((text) => {
    const { username, password, hash } = new URL(text);
    return username === '' && password === '' && hash === '';
  }, 'must hold no user name, password or fragment'),
);

export const apiKeySchema = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^[\x21-\x7e]{8,512}$/, 'must have 8 to 512 printable ASCII characters without spaces'),
);

export const modelSchema = lineSchema(1, 128);

export const secretRefSchema = v.pipe(
  v.string(),
  v.regex(
    /^(env:OPSDECK_COPILOT_[A-Z0-9_]{1,100}|file:(?!.*\.\.)[\w./-]{1,255})$/,
    'must be env:OPSDECK_COPILOT_… or file:<a path below the directory of secrets>',
  ),
);

const patternSchema = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  v.maxLength(MAX_PATTERN, `must have at most ${MAX_PATTERN} characters`),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const compiled = compileUnanchored(dataset.value);
    if (!compiled.ok) addIssue({ message: compiled.reason });
  }),
);

/** The body of a copilot's PUT, and `copilot` of a room's. */
export const copilotRequestSchema = objectSchema({
  enabled: flag,
  name: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.regex(/^[\p{L}\p{N} _-]{1,40}$/u, 'must have 1 to 40 letters, digits, spaces, "_" or "-"'),
      v.regex(/[\p{L}\p{N}]/u, 'must hold a letter or a digit'),
    ),
  ),
  provider: v.optional(v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be the name of a provider'))),
  baseUrl: v.optional(v.nullable(baseUrlSchema)),
  model: v.optional(v.nullable(modelSchema)),
  apiKey: v.optional(v.nullable(apiKeySchema)),
  secretRef: v.optional(v.nullable(secretRefSchema)),
  instructions: v.optional(proseSchema(16_000)),
  trigger: v.optional(v.picklist(['off', 'manual', 'mention', 'always', 'alert'])),
  triggerRoles: v.optional(
    v.pipe(
      v.array(v.picklist(ROLES)),
      v.transform((roles) => [...new Set(roles)]),
    ),
  ),
  triggerKeywords: v.optional(v.pipe(v.array(lineSchema(1, 40)), v.maxLength(20, 'must be at most 20'))),
  allowBots: flag,
  replyIn: v.optional(v.picklist(['thread', 'room'])),
  context: v.optional(
    objectSchema({
      messages: optionalInt(0, 200),
      maxTokens: optionalInt(256, 200_000),
      scope: v.optional(v.picklist(['thread', 'room'])),
      includeAlerts: flag,
      includeFiles: flag,
    }),
  ),
  temperature: v.optional(
    v.nullable(v.pipe(v.number(), v.minValue(0, 'must be 0 to 2'), v.maxValue(2, 'must be 0 to 2'))),
  ),
  maxOutputTokens: optionalInt(16, 32_000),
  timeouts: v.optional(
    objectSchema({
      connectMs: optionalInt(1, MAX_MS),
      firstTokenMs: optionalInt(1, MAX_MS),
      idleMs: optionalInt(1, MAX_MS),
      totalMs: optionalInt(1, MAX_MS),
    }),
  ),
  limits: v.optional(
    objectSchema({
      perUserPerHour: optionalInt(0, MAX_COUNT),
      perRoomPerHour: optionalInt(0, MAX_COUNT),
      tokensPerDay: optionalInt(0, MAX_COUNT),
      concurrent: optionalInt(0, 100),
      queue: optionalInt(0, 1000),
    }),
  ),
  redact: v.optional(
    objectSchema({
      secrets: flag,
      emails: flag,
      patterns: v.optional(v.pipe(v.array(patternSchema), v.maxLength(20, 'must be at most 20'))),
    }),
  ),
  apiKeyInfo: ownedSchema,
  health: ownedSchema,
  version: ownedSchema,
  updatedAt: ownedSchema,
  updatedBy: ownedSchema,
});
export type CopilotBody = v.InferInput<typeof copilotRequestSchema>;

/** A copilot on the wire. */
export interface WireCopilot extends Printed<CopilotSettings, 'updatedAt'> {
  /** In answers, not in events. */
  readonly health?: Printed<CopilotHealth, 'lastOkAt'>;
}

/** The answer of `POST /api/room/:id/copilot/test`. */
export interface WireCopilotTest {
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly model: string | null;
  readonly error?: string;
}

export function wireCopilot(copilot: CopilotSettings, health?: CopilotHealth): WireCopilot {
  return {
    ...copilot,
    updatedAt: printInstant(copilot.updatedAt),
    ...(health ? { health: { ...health, lastOkAt: printInstantOrNull(health.lastOkAt) } } : {}),
  };
}
