/** What has become of the analytics events of one environment since the start. */
export interface EventCounts {
  /** Events in posts that could be read. */
  received: number;
  /** Of bodies as they were after inflation. */
  receivedBytes: number;
  /** Events that upstream has accepted; summarised ones count as what they became. */
  sent: number;
  /** Before compression. */
  sentBytes: number;
  /** Events that upstream has not accepted. */
  failed: number;
  /** Events for which there was no room, that could not be read, or that upstream no longer wants. */
  dropped: number;
  /** Posts that came a second time. */
  duplicates: number;
  /** Posts that could not be read, or for which there was no room. */
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
