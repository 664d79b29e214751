const SLICE_CHARACTERS = 400_000;

/**
 * Parses an array of objects whose first key is `key`, each slice in a task of its own: megabytes at once would be a long task.
 * Items of nested arrays begin with other keys. No string contains the separator, as its quotes would be escaped.
 */
export async function parseInSlices<Item>(
  text: string,
  key: string,
  nextTask: () => Promise<void>,
  size = SLICE_CHARACTERS,
): Promise<Item[]> {
  if (text.length <= size || !text.startsWith('[')) return JSON.parse(text) as Item[];
  const separator = `,{"${key}":`;
  const items: Item[] = [];
  for (let from = 1; from < text.length; ) {
    const cut = text.indexOf(separator, from + size);
    const slice = cut < 0 ? `[${text.slice(from)}` : `[${text.slice(from, cut)}]`;
    for (const item of JSON.parse(slice) as Item[]) items.push(item);
    if (cut < 0) break;
    from = cut + 1;
    await nextTask();
  }
  return items;
}
