/** Counters of the events of one environment since the start. */
export interface EventCounts {
  /** Events in readable posts. */
  received: number;
  /** After inflation. */
  receivedBytes: number;
  /** Events that upstream has accepted, counted after summarising. */
  sent: number;
  /** Before compression. */
  sentBytes: number;
  /** Events that upstream has not accepted. */
  failed: number;
  /** Events beyond the capacity, unreadable ones, and those after upstream has refused the credential. */
  dropped: number;
  /** Repeated posts. */
  duplicates: number;
  /** Unreadable posts and those beyond the capacity. */
  droppedPosts: number;
  diagnosticsSent: number;
  diagnosticsFailed: number;
  diagnosticsDropped: number;
}

export function zeroCounts(): EventCounts {
  return {
    received: 0,
    receivedBytes: 0,
    sent: 0,
    sentBytes: 0,
    failed: 0,
    dropped: 0,
    duplicates: 0,
    droppedPosts: 0,
    diagnosticsSent: 0,
    diagnosticsFailed: 0,
    diagnosticsDropped: 0,
  };
}
