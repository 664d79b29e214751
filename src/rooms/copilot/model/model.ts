import type { ProviderKind } from '../../domain/copilot/copilot.ts';
import type { Prompt } from '../../domain/copilot/prompt.ts';

/** What a model is asked. */
export interface ModelRequest extends Pick<Prompt, 'system' | 'turns' | 'question'> {
  readonly target: ModelTarget;
  readonly maxOutputTokens: number;
  /** `null`: not sent. */
  readonly temperature: number | null;
  readonly connectMs: number;
}

/** Which model, where, and by which key. */
export interface ModelTarget {
  readonly kind: ProviderKind;
  /** Without a slash at the end; `''` where nothing is asked over the network. */
  readonly baseUrl: string;
  readonly model: string;
  readonly allowPrivate: boolean;
  /** Never shown to anybody but that address. */
  readonly apiKey: string | undefined;
  /** By what it is told apart from others: for what is remembered of it. */
  readonly name: string;
}

/** A piece of an answer, as it comes in. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  /** It is at work, but shows nothing. */
  | { readonly kind: 'thinking' }
  | { readonly kind: 'usage'; readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined }
  | { readonly kind: 'finish'; readonly reason: string };

/** Asks one kind of provider. The parts end after `finish`, or in a ModelError; without either, they were cut off. */
export interface ModelProvider {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

/** Why a model has not answered, in words that may be shown to everybody in the room. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  /** Such as `unreachable`, `refused` or `overloaded`. */
  readonly code: string;
  /** The same question may be answered a little later. */
  readonly isPassing: boolean;
  /** When the provider filters to be asked again. */
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
