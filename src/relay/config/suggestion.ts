/** The word of a list that is most similar to a mistyped one, or undefined if none is. Case does not matter. */
export function suggestWord(mistyped: string, words: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(mistyped.length / 3)) + 1;
  for (const word of words) {
    const distance = editDistance(mistyped.toLowerCase(), word.toLowerCase());
    if (distance < least) {
      least = distance;
      best = word;
    }
  }
  return best;
}

/** The number of letters to add, remove or replace to change one word into the other. Levenshtein, 1965. */
function editDistance(from: string, to: string): number {
  if (Math.max(from.length, to.length) > 64) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const kept = (row[j] as number) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(kept, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
