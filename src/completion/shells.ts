import type { Candidate } from '../kernel/terminal/completion.ts';
import type { Reply } from './candidates.ts';

/** A shell: its script, and how it asks and is answered. */
export interface Shell {
  /** Defines the completion of `opsdeck`; read at the start of the shell. */
  readonly script: string;
  /** The words before the cursor and the start of the word there, of what the script passes. */
  readonly wordsOf: (passed: readonly string[]) => readonly string[];
  /** What the script reads. */
  readonly print: (reply: Reply, passed: readonly string[]) => string;
}

/** The line that asks the shell for paths. */
const PATHS = ':paths\n';

/** A word as it is typed. */
interface TypedWord {
  /** Without quotes and backslashes. */
  readonly value: string;
  /** The quote that is still open, and where the text in it begins in the value. */
  readonly quote?: { readonly mark: string; readonly at: number };
}

/** Splits the start of a command line into words; the last one is at the cursor, and may be empty. */
export function splitLine(line: string): readonly TypedWord[] {
  const words: TypedWord[] = [];
  let value: string | undefined;
  let quote: TypedWord['quote'];
  for (let i = 0; i < line.length; i++) {
    const character = line.charAt(i);
    if (character === quote?.mark) quote = undefined;
    else if (character === '\\' && quote?.mark !== "'") value = (value ?? '') + line.charAt(++i);
    else if (quote) value += character;
    else if (character === '"' || character === "'") {
      value ??= '';
      quote = { mark: character, at: value.length };
    } else if (/\s/.test(character)) {
      if (value !== undefined) words.push({ value });
      value = undefined;
    } else value = (value ?? '') + character;
  }
  return [...words, { value: value ?? '', ...(quote && { quote }) }];
}

const lastOf = (line = ''): TypedWord => splitLine(line).at(-1) ?? { value: '' };

const escapeForBash = (text: string) => text.replace(/[^\p{L}\p{N}_./,:@%+=-]/gu, '\\$&');

/** Bash replaces what follows the last of its word breaks in the word, or the open quote. */
function forBash({ value, isOpen }: Candidate, { value: typed, quote }: TypedWord): string {
  if (quote) return value.slice(quote.at);
  const kept = typed.search(/[^=:@]*$/);
  return `${escapeForBash(value.slice(kept))}${isOpen ? '' : ' '}`;
}

const BASH = `# Completion of opsdeck: source <(opsdeck completion bash)
_opsdeck() {
  local line="\${COMP_LINE:0:COMP_POINT}" current="\${COMP_WORDS[COMP_CWORD]}"
  mapfile -t COMPREPLY < <(opsdeck completion bash --reply -- "$line" 2>/dev/null)
  if [[ \${COMPREPLY[0]} == :paths ]]; then
    [[ $current == = ]] && current=
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
  else
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _opsdeck opsdeck
`;

const ZSH = `#compdef opsdeck
# Completion of opsdeck: after compinit, source <(opsdeck completion zsh)
_opsdeck() {
  local kind value description
  local -a closed opened shown_closed shown_opened
  while IFS=$'\\t' read -r kind value description; do
    case $kind in
      :paths) compset -P '--*='; _files; return ;;
      open) opened+=("$value"); shown_opened+=("$value\${description:+  -- $description}") ;;
      word) closed+=("$value"); shown_closed+=("$value\${description:+  -- $description}") ;;
    esac
  done < <(opsdeck completion zsh --reply -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  (( $#closed )) && compadd -l -d shown_closed -- "\${closed[@]}"
  (( $#opened )) && compadd -l -d shown_opened -S '' -- "\${opened[@]}"
}
if [[ $funcstack[1] == _opsdeck ]]; then _opsdeck "$@"; else compdef _opsdeck opsdeck; fi
`;

const FISH = `# Completion of opsdeck: opsdeck completion fish | source
function __opsdeck_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l reply (opsdeck completion fish --reply -- $words[2..-1] "$current" 2>/dev/null)
    if test "$reply[1]" = ':paths'
        set -l flag (string match -r '^--[^=]*=' -- "$current")
        for path in (__fish_complete_path (string replace -- "$flag" '' "$current"))
            echo "$flag$path"
        end
    else
        printf '%s\\n' $reply
    end
end
complete -c opsdeck -f -a '(__opsdeck_complete)'
`;

const shown = (description = '') => description.replace(/\s+/g, ' ').slice(0, 60);
const linesOf = ({ candidates, isPath }: Reply, lineOf: (candidate: Candidate) => string) =>
  isPath && candidates.length === 0 ? PATHS : candidates.map((one) => `${lineOf(one)}\n`).join('');

export const SHELLS = {
  bash: {
    script: BASH,
    wordsOf: ([line = '']) =>
      splitLine(line)
        .slice(1)
        .map(({ value }) => value),
    print: (reply, [line]) => linesOf(reply, (one) => forBash(one, lastOf(line))),
  },
  zsh: {
    script: ZSH,
    wordsOf: (passed) => passed,
    print: (reply) =>
      linesOf(
        reply,
        ({ value, description, isOpen }) => `${isOpen ? 'open' : 'word'}\t${value}\t${shown(description)}`,
      ),
  },
  fish: {
    script: FISH,
    // Fish passes the word at the cursor as it is typed.
    wordsOf: (passed) => [...passed.slice(0, -1), lastOf(passed.at(-1)).value],
    print: (reply) => linesOf(reply, ({ value, description }) => `${value}\t${shown(description)}`),
  },
} as const satisfies Readonly<Record<string, Shell>>;
