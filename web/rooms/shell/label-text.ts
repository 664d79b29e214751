/** Labels as text: `name=value`, one a line. */
export const printLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/** Throws an error that names the wrong line and the reason. */
export function parseLabels(text: string): Readonly<Record<string, string>> {
  const labels = new Map<string, string>();
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    const name = line.slice(0, Math.max(at, 0)).trim();
    if (name === '') throw new Error(`Labels: write \u201c${line}\u201d as name=value`);
    if (labels.has(name)) throw new Error(`Labels: ${name} is given twice`);
    labels.set(name, line.slice(at + 1).trim());
  }
  return Object.fromEntries(labels);
}

/** `null`: empty, so there is no limit. Throws an error that names the field. */
export function parseCount(field: string, text: string): number | null {
  const digits = text.trim().replace(/(?<=\d)[ ,.'](?=\d{3}\b)/g, '');
  if (digits === '') return null;
  if (!/^\d{1,10}$/.test(digits) || Number(digits) === 0)
    throw new Error(`${field}: write a whole number, or nothing to keep all`);
  return Number(digits);
}
