import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { AlertCard } from '../../../src/rooms/domain/card/alert-card.ts';

export function alertCardOf({ type, card }: WireMessage): AlertCard | undefined {
  return type === 'alert' && card?.kind === 'alert' && isWhole(card as Partial<AlertCard>)
    ? (card as unknown as AlertCard)
    : undefined;
}

/** In earlier versions bots could post cards of this kind in any shape. */
function isWhole(card: Partial<AlertCard>): boolean {
  const { counts, labels, alerts, links, changes, acked, silence } = card;
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  const areObjects = (list: unknown) => Array.isArray(list) && list.every(isObject);
  return (
    [card.severity, card.title, card.summary, card.description, card.startedAt].every(
      (text) => typeof text === 'string',
    ) &&
    [counts, labels].every(isObject) &&
    [alerts, links, changes].every(areObjects) &&
    (alerts ?? []).every((alert) => isObject(alert.labels) && areObjects(alert.links ?? [])) &&
    [card.resolvedAt, acked, silence].every((value) => value !== undefined)
  );
}
