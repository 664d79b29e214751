/** Groups whose notification an integration has not accepted. Instants are RFC 3339 texts. */
export interface FailingIntegration {
  readonly receiver: string;
  readonly integration: string;
  /** Counted from 0 among the receiver's integrations of this kind. */
  readonly index: number;
  readonly groups: number;
  /** The first failed attempt. */
  readonly since: string;
  /** Why the last attempt failed; without secrets. */
  readonly error: string;
}

/** GET /integrations answers with an array of these, one for each integration in use, in the order of the configuration. */
export interface IntegrationHealth extends Pick<FailingIntegration, 'receiver' | 'integration' | 'index'> {
  /** Notifications of this node since its start. */
  readonly sent: number;
  readonly failed: number;
  /** Absent: none since the start. */
  readonly lastSentAt?: string;
  readonly lastFailedAt?: string;
  /** Absent: no group waits for it. With groups that other nodes have tried to notify. */
  readonly failing?: Pick<FailingIntegration, 'groups' | 'since' | 'error'>;
}
