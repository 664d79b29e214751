const MAX_SPAN = 100;

/** A text on one line as a code span, in which nothing is Markdown and nobody is mentioned. */
export function codeSpan(text: string, max = MAX_SPAN): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('`', "'").trim();
  const letters = [...line];
  const cut = letters.length <= max ? line : `${letters.slice(0, max - 1).join('')}…`;
  return `\`${cut === '' ? ' ' : cut}\``;
}

/** `1 h 20 min`, `3 d 4 h`; at least a minute. */
export function printLength(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  const parts =
    days > 0
      ? [days > 0 && `${days} d`, hours > 0 && `${hours} h`]
      : [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`];
  return parts.filter((part) => part !== false).join(' ');
}
