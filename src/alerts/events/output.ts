/** A place where events are written. */
export interface EventOutput {
  /** In metrics and the log; holds no secret. */
  readonly name: string;
  /** Whether each event ends with a newline. */
  readonly isLines: boolean;
  /** Takes events in their order; rejects when they could not be written. */
  send(events: readonly string[]): Promise<void>;
  /** Writes what waits. */
  close(): Promise<void>;
}

export const asLines = (events: readonly string[]) => `${events.join('\n')}\n`;

export function standardOutput(): EventOutput {
  return {
    name: 'stdout',
    isLines: true,
    send: (events) =>
      new Promise((resolve, reject) => {
        process.stdout.write(asLines(events), (error) => (error ? reject(error) : resolve()));
      }),
    close: async () => {},
  };
}
