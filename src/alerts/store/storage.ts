import { type Alert, printAnnotations } from '../domain/alert.ts';
import { createLabelSet, labelsJson } from '../domain/label-set.ts';
import type { AlertSlot } from './slot.ts';

export interface StoredAlert {
  /** Its place in the storage. */
  readonly id: number;
  readonly alert: Alert;
  readonly isSettled: boolean;
  readonly isAnnounced: boolean;
}

/** Where alerts lie; written in the background. */
export interface AlertStorage {
  /** In the order of ids. */
  load(): Promise<readonly StoredAlert[]>;
  /** The alert of the slot has changed. */
  change(slot: AlertSlot): void;
  /** The slot is no longer held. */
  remove(slot: AlertSlot): void;
  /** Resolves when all changes are written; rejects when that fails. */
  flush(): Promise<void>;
  /** Writes the changed ones of these in one commit with all other writes of this turn. Never rejects. */
  writeNow(slots: readonly AlertSlot[]): Promise<void>;
}

/** What of an alert most posts repeat, as JSON. */
export function encodeContent({ labels, annotationsJson, generatorURL }: Alert): string {
  return `{"labels":${labelsJson(labels)},"annotations":${annotationsJson},"generatorURL":${JSON.stringify(generatorURL)}}`;
}

export function decodeContent(text: string): Pick<Alert, 'labels' | 'annotationsJson' | 'generatorURL'> {
  const { labels, annotations, generatorURL } = JSON.parse(text) as {
    readonly labels: Record<string, string>;
    readonly annotations: Record<string, string>;
    readonly generatorURL: string;
  };
  return { labels: createLabelSet(labels), annotationsJson: printAnnotations(annotations), generatorURL };
}
