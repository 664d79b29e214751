/** One event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
  /** Its id; `''` for an event that is not repeated. */
  readonly id: string;
}

/**
 * Reads an event stream from text that may be cut anywhere.
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class SseParser {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id = '';
  /** The stream's `retry`, in milliseconds. */
  retryMs: number | undefined;

  push(text: string): readonly StreamEvent[] {
    const events: StreamEvent[] = [];
    const all = this.#rest + text;
    // A CR at the end may be the first half of a line's end.
    const lines = all.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') this.#dispatch(events);
      else this.#read(line);
    }
    return events;
  }

  #read(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id') this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  #dispatch(events: StreamEvent[]): void {
    if (this.#data.length > 0)
      events.push({ event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id });
    this.#event = '';
    this.#data = [];
    this.#id = '';
  }
}
