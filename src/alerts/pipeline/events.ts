import type { Alert } from '../domain/alert.ts';
import type { NotificationReason } from '../domain/notification.ts';
import type { AlertGroup } from '../store/group.ts';
import type { FlushedAlert } from './flushed-alert.ts';
import type { Evaluation } from './pipeline.ts';
import type { ReceiverIntegration } from './receiver.ts';
import type { SuppressionReason } from './suppression.ts';

/** Is notified of what happens in the pipeline; absent unless events are recorded. */
export interface PipelineEvents {
  /** A flush of the group begins. */
  flushed(group: AlertGroup): void;
  /** A flush leaves these alerts out. */
  suppressed(reason: SuppressionReason, alerts: readonly FlushedAlert[], at: number): void;
  /** The integration has accepted the notification. */
  notified(integration: ReceiverIntegration, reason: NotificationReason, evaluation: Evaluation): void;
  /** The group has sent the resolved notification of the alert. */
  resolved(group: AlertGroup, alert: Alert): void;
}
