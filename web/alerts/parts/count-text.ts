/** Writes `0 alerts`, `1 alert`, `2 alerts`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
