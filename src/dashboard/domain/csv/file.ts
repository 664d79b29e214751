/** Known before the file is read. */
export interface CsvFile {
  readonly name: string;
  /** Bytes; 0 when not known. */
  readonly size: number;
  /** The label of the events' user, unless a `User` column names another. */
  readonly user: string;
}

export type BadRowReason = 'date' | 'implausible-date' | 'tokens' | 'negative-tokens' | 'cells';

export interface BadRow {
  /** From 1, the header included; the first line of a row over several. */
  readonly line: number;
  readonly reason: BadRowReason;
  /** The bad cell, cut to 40 characters. */
  readonly text: string;
}

export type CsvFileError =
  | { readonly code: 'empty' }
  | { readonly code: 'missing-columns'; readonly columns: readonly string[] }
  | { readonly code: 'unclosed-quote'; readonly line: number }
  | { readonly code: 'all-rows-bad' };

export interface CsvCounts {
  readonly bytes: number;
  readonly rows: number;
  readonly events: number;
  readonly skipped: number;
}

/** `duplicate`: left out, since a file with the same name, size and content is loaded. */
export interface CsvFileResult extends CsvCounts {
  readonly status: 'added' | 'duplicate' | 'rejected';
  /** Present when added. */
  readonly fileId: number | undefined;
  readonly name: string;
  /** Present when rejected. */
  readonly error: CsvFileError | undefined;
  /** The first 20. */
  readonly badRows: readonly BadRow[];
  /** Rows whose total is not the sum of its parts; their total was kept. */
  readonly totalsThatDiffer: number;
  readonly oldestAt: number | undefined;
  readonly newestAt: number | undefined;
}

/**
 * The longest label that is a word of the file name (`usage-events-info.csv` → `info`); undefined if there is none, and
 * the page has to ask.
 */
export function guessUser(fileName: string, labels: readonly string[]): string | undefined {
  const name = fileName.toLowerCase();
  const isWord = (label: string) => {
    for (let at = name.indexOf(label); at >= 0; at = name.indexOf(label, at + 1)) {
      const around = `${name[at - 1] ?? ' '}${name[at + label.length] ?? ' '}`;
      if (!/[\p{L}\p{N}]/u.test(around)) return true;
    }
    return false;
  };
  return labels.filter((label) => label !== '' && isWord(label.toLowerCase())).sort((a, b) => b.length - a.length)[0];
}
