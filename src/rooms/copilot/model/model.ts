import type { ProviderKind } from '../../domain/copilot/copilot.ts';
import type { Prompt } from '../../domain/copilot/prompt.ts';

/** The request to a model. */
export interface ModelRequest extends Pick<Prompt, 'system' | 'turns' | 'question'> {
  readonly target: ModelTarget;
  readonly maxOutputTokens: number;
  /** `null`: not sent. */
  readonly temperature: number | null;
  readonly connectMs: number;
}

/** A model, its address and its key. */
export interface ModelTarget {
  readonly kind: ProviderKind;
  /** Without a slash at the end; `''` for a provider without a network. */
  readonly baseUrl: string;
  readonly model: string;
  readonly allowPrivate: boolean;
  /** Sent to that address only. */
  readonly apiKey: string | undefined;
  /** Identifies the target in what is remembered about it. */
  readonly name: string;
}

/** A part of an answer. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  /** The model is working, without output. */
  | { readonly kind: 'thinking' }
  | { readonly kind: 'usage'; readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined }
  | { readonly kind: 'finish'; readonly reason: string };

/** A kind of provider. The parts end after `finish`, or with a ModelError; otherwise the answer was cut off. */
export interface ModelProvider {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

/** Why a model has not answered, in words that may be shown to the whole room. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  /** Such as `unreachable`, `refused` or `overloaded`. */
  readonly code: string;
  /** Whether a retry may help. */
  readonly isPassing: boolean;
  /** When the provider asks to be retried. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: string,
    message: string,
    { isPassing = false, retryAfterMs = undefined as number | undefined } = {},
  ) {
    super(message);
    this.code = code;
    this.isPassing = isPassing;
    this.retryAfterMs = retryAfterMs;
  }
}
