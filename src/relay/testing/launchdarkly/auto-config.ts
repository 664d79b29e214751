import type { ServerResponse } from 'node:http';
import { applyFault, type StreamFault, sseEvent, startStream } from './faults.ts';

export const AUTO_CONFIG_KEY = 'rel-00000000-0000-4000-8000-00000000000c';

export type Represented = Readonly<Record<string, unknown>> & { readonly envID: string };

/** An environment as automatic configuration describes it. */
export function representation(envID: string, fields: Readonly<Record<string, unknown>> = {}): Represented {
  return {
    envID,
    envKey: `${envID}-key`,
    envName: `Name of ${envID}`,
    mobKey: `mob-${envID}`,
    projKey: 'shop',
    projName: 'Shop',
    sdkKey: { value: `sdk-${envID}` },
    defaultTtl: 0,
    secureMode: false,
    version: 1,
    ...fields,
  };
}

/** A put of automatic configuration. */
export function configurationPut(environments: readonly Represented[], filters: object = {}): string {
  const byId = Object.fromEntries(environments.map((environment) => [environment.envID, environment]));
  return sseEvent('put', { path: '/', data: { environments: byId, filters } });
}

/** The stream `/relay_auto_config` of the fake LaunchDarkly. */
export class FakeAutoConfig {
  /** The first event of each stream. */
  put = configurationPut([]);
  /** For all requests; undefined: none. */
  fault: StreamFault | undefined;
  /** Number of requests so far. */
  requests = 0;
  readonly #streams = new Set<ServerResponse>();

  get openStreams(): number {
    return this.#streams.size;
  }

  serve(response: ServerResponse, onClose: () => void): void {
    this.requests += 1;
    if (this.fault !== undefined) {
      applyFault(this.fault, response);
      return;
    }
    this.#streams.add(response);
    response.once('close', () => {
      this.#streams.delete(response);
      onClose();
    });
    startStream(response);
    response.write(this.put);
  }

  /** Sends a patch of an environment. */
  patch(environment: Represented): void {
    this.write(sseEvent('patch', { path: `/environments/${environment.envID}`, data: environment }));
  }

  delete(envID: string, version: number): void {
    this.write(sseEvent('delete', { path: `/environments/${envID}`, version }));
  }

  /** Writes raw text to the open streams. */
  write(text: string): void {
    for (const stream of this.#streams) stream.write(text);
  }

  /** Cuts the open streams. */
  drop(): void {
    for (const stream of [...this.#streams]) stream.destroy();
  }
}
