import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Alert } from '../domain/alert.ts';
import type { NotificationReason } from '../domain/notification.ts';
import type { PipelineEvents } from '../pipeline/events.ts';
import type { FlushedAlert } from '../pipeline/flushed-alert.ts';
import type { Evaluation } from '../pipeline/pipeline.ts';
import type { ReceiverIntegration } from '../pipeline/receiver.ts';
import type { SuppressionReason } from '../pipeline/suppression.ts';
import type { AlertState } from '../state/alert-state.ts';
import type { AlertGroup } from '../store/group.ts';
import type { AlertSlot } from '../store/slot.ts';
import { API_VERSION } from '../version.ts';
import {
  alertCreated,
  alertGrouped,
  alertResolved,
  inhibitionMutedAlert,
  notification,
  silenceCreated,
  silenceMutedAlert,
  silenceUpdated,
} from './event.ts';
import type { Recorder } from './recorder.ts';

/** Records what happens in the server, as Alertmanager does. */
export class EventSource implements PipelineEvents {
  readonly #recorder: Pick<Recorder, 'record'>;
  readonly #clock: Clock;
  #state: AlertState | undefined;
  readonly #lives = new WeakMap<AlertGroup, { readonly uuid: string; flushes: number }>();

  constructor(recorder: Pick<Recorder, 'record'>, clock: Clock) {
    this.#recorder = recorder;
    this.#clock = clock;
  }

  /** Observes a state that has been loaded. */
  observe(state: AlertState): void {
    this.#state = state;
    state.alerts.subscribe({ put: (slot, isNew) => this.#posted(slot, isNew), removed() {} });
    state.silences.decided = (silence, isUpdate) =>
      this.#recorder.record(isUpdate ? silenceUpdated(silence) : silenceCreated(silence));
  }

  started(): void {
    const buildContext = `(node=${process.version}, platform=${process.platform}/${process.arch}, opsdeck=${OPSDECK_VERSION})`;
    this.#recorder.record({ alertmanagerStartupEvent: { version: API_VERSION, buildContext } });
  }

  stopped(): void {
    this.#recorder.record({ alertmanagerShutdownEvent: {} });
  }

  flushed(group: AlertGroup): void {
    this.#lifeOf(group).flushes++;
  }

  suppressed(reason: SuppressionReason, alerts: readonly FlushedAlert[], at: number): void {
    for (const flushed of alerts) {
      if (reason === 'silence') this.#silenced(flushed);
      else if (reason === 'inhibition') this.#inhibited(flushed, at);
    }
  }

  notified(
    { name, index, sendResolved }: ReceiverIntegration,
    reason: NotificationReason,
    evaluation: Evaluation,
  ): void {
    const { group, alerts } = evaluation;
    const { uuid: groupUuid, flushes: flushId } = this.#lifeOf(group);
    const passed = new Set(alerts.map(({ slot }) => slot));
    const ofState = (isResolved: boolean) => alerts.filter((found) => found.isResolved === isResolved).map(alertOf);
    this.#recorder.record(
      notification({
        ...{ group, groupUuid, flushId, reason, integration: { name, index } },
        alerts: sendResolved ? alerts : alerts.filter(({ isResolved }) => !isResolved),
        firing: ofState(false),
        resolved: ofState(true),
        muted: group
          .sorted()
          .filter((slot) => !passed.has(slot))
          .map(alertOf),
      }),
    );
  }

  resolved(group: AlertGroup, alert: Alert): void {
    this.#recorder.record(alertResolved(group, alert));
  }

  #posted({ alert, membership }: AlertSlot, isNew: boolean): void {
    const now = this.#clock.now();
    if (isNew) this.#recorder.record(alertCreated(alert, now));
    for (const group of membership?.groups ?? []) {
      if (group) this.#recorder.record(alertGrouped(group, alert, now));
    }
  }

  #silenced({ alert }: FlushedAlert): void {
    for (const id of this.#state?.silencer.silencedBy(alert.fingerprint) ?? []) {
      const silence = this.#state?.silences.find(id);
      if (silence) this.#recorder.record(silenceMutedAlert(silence, alert));
    }
  }

  #inhibited({ alert }: FlushedAlert, at: number): void {
    const inhibition = this.#state?.inhibitor.explain(alert.labels, at);
    if (!inhibition) return;
    this.#recorder.record(inhibitionMutedAlert(inhibition.rule, alert, inhibition.source.alert));
  }

  #lifeOf(group: AlertGroup) {
    let life = this.#lives.get(group);
    if (!life) {
      life = { uuid: randomUUID(), flushes: 0 };
      this.#lives.set(group, life);
    }
    return life;
  }
}

const alertOf = ({ alert }: { readonly alert: Alert }) => alert;
