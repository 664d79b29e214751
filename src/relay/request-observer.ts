import type { SdkKind } from './credentials.ts';
import type { Environment } from './environment.ts';

/** A request with a valid credential. */
export interface AdmittedRequest {
  readonly sdkKind: SdkKind;
  readonly environment: Environment;
  /** The path as a template: `/sdk/flags/{flagKey}`. */
  readonly route: string;
  readonly method: string;
  /** As the SDK names itself. */
  readonly userAgent: string;
}

/** The evaluation of a single flag. */
export interface FlagEvaluation {
  readonly key: string;
  /** Null if the flag serves no variation. */
  readonly variation: number | null;
}

/** Notified by routes of requests, streams and evaluations. */
export interface RequestObserver {
  request(request: AdmittedRequest): void;
  /** A stream was opened; the returned function is called when it ends. */
  stream(request: AdmittedRequest): () => void;
  /** `flags` flags were evaluated for a request; `one` if it named its flag. */
  evaluated(environment: Environment, sdkKind: SdkKind, flags: number, one?: FlagEvaluation): void;
}

/** Notifies both. */
export function observeBoth(first: RequestObserver, second: RequestObserver): RequestObserver {
  return {
    request(request) {
      first.request(request);
      second.request(request);
    },
    stream(request) {
      const [endFirst, endSecond] = [first.stream(request), second.stream(request)];
      return () => {
        endFirst();
        endSecond();
      };
    },
    evaluated(environment, sdkKind, flags, one) {
      first.evaluated(environment, sdkKind, flags, one);
      second.evaluated(environment, sdkKind, flags, one);
    },
  };
}
