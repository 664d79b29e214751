/** The pieces of a query between spaces; a phrase in quotes is one. */
const piecesOf = (query: string): readonly string[] => query.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];

const nameOf = (filter: string): string => filter.slice(0, filter.indexOf(':') + 1);

export const hasFilter = (query: string, filter: string): boolean => piecesOf(query).includes(filter);

/** The query with a filter in place of others of its name, or without it if the query has it. */
export function toggleFilter(query: string, filter: string): string {
  const kept = piecesOf(query).filter((piece) => !piece.startsWith(nameOf(filter)));
  return [...kept, ...(hasFilter(query, filter) ? [] : [filter])].map((piece) => `${piece} `).join('');
}

/** The value of a filter, such as `after:`; `''` if the query has none. */
export const filterValue = (query: string, name: string): string =>
  piecesOf(query)
    .findLast((piece) => piece.startsWith(name))
    ?.slice(name.length) ?? '';

/** The query as the server reads it: its days begin at midnight in UTC, those of the page where the reader is. */
export const withLocalDays = (query: string): string =>
  query.replace(/(?<!\S)(before|after):(\d{4})-(\d\d)-(\d\d)(?!\S)/gi, (_, name, year, month, day) => {
    const midnight = new Date(Number(year), Number(month) - 1, Number(day));
    return `${name}:${midnight.toISOString()}`;
  });
