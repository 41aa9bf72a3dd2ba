import { COMMON_OPTIONS } from '../command-line.mjs';
import { EXIT, UsageError } from '../outcome.mjs';
import { print } from '../terminal.mjs';

/** @typedef {import('../command-line.mjs').Command} Command */
/** @typedef {Readonly<Record<string, Command>>} Commands */

const SHELLS = /** @type {Record<string, (commands: Commands) => string>} */ ({ bash, zsh, fish });

/** @type {Command} */
export const completion = {
  arguments: ['<bash|zsh|fish>'],
  about: 'print a script that completes commands and options',
  isOffline: true,
  example: 'keelson completion bash',
  async run({ args: [shell = ''], commands }) {
    if (!Object.hasOwn(SHELLS, shell)) throw new UsageError(`${shell} is not one of ${Object.keys(SHELLS).join(', ')}`);
    print(SHELLS[shell]?.(commands) ?? '');
    return EXIT.ok;
  },
};

/**
 * Completions by the words so far: `""` -> first words, `promotion` -> second words, a command -> its
 * options.
 */
function completions(/** @type {Commands} */ commands) {
  /** @type {Map<string, Set<string>>} */
  const words = new Map([['', new Set(['help'])]]);
  for (const [name, { options = {} }] of Object.entries(commands)) {
    const [first = '', second] = name.split(' ');
    words.get('')?.add(first);
    if (second !== undefined) words.set(first, (words.get(first) ?? new Set()).add(second));
    const own = Object.keys({ ...options, ...COMMON_OPTIONS }).map((option) => `--${option}`);
    words.set(name, new Set([...(words.get(name) ?? []), ...own.sort()]));
  }
  return words;
}

/** A `case` of a POSIX shell over the words so far. */
function cases(/** @type {Commands} */ commands) {
  return [...completions(commands)]
    .map(([words, next]) => `    '${words}') echo '${[...next].join(' ')}' ;;`)
    .join('\n');
}

/**
 * A function that prints what may follow the first word, or the first two of a group, that are its arguments.
 */
function wordsFunction(/** @type {Commands} */ commands) {
  return `_keelson_words() {
  case "$1" in
${cases(commands)}
    *) return 1 ;;
  esac
}`;
}

function bash(/** @type {Commands} */ commands) {
  return `# keelson completion bash: add to ~/.bashrc
#   source <(keelson completion bash)
${wordsFunction(commands)}
_keelson() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then words="$(_keelson_words '')"
  elif [ "$COMP_CWORD" -gt 2 ] && words="$(_keelson_words "\${COMP_WORDS[1]} \${COMP_WORDS[2]}")"; then :
  else words="$(_keelson_words "\${COMP_WORDS[1]}")"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _keelson keelson
`;
}

function zsh(/** @type {Commands} */ commands) {
  return `#compdef keelson
# keelson completion zsh: add to ~/.zshrc, after compinit
#   source <(keelson completion zsh)
${wordsFunction(commands)}
_keelson() {
  local found
  if (( CURRENT == 2 )); then found="$(_keelson_words '')"
  elif (( CURRENT > 3 )) && found="$(_keelson_words "$words[2] $words[3]")"; then :
  else found="$(_keelson_words "$words[2]")"
  fi
  compadd -- \${=found}
  _files
}
compdef _keelson keelson
`;
}

function fish(/** @type {Commands} */ commands) {
  const lines = [...completions(commands)].map(([words, next]) => {
    const count = words === '' ? 0 : words.split(' ').length;
    const test = count === 0 ? '__keelson_words 0' : `__keelson_words ${count} ${words}`;
    // Where a command is still to be named, no file is.
    const noFiles = [...next].some((word) => word.startsWith('--')) ? '' : ' -f';
    return `complete -c keelson${noFiles} -n '${test}' -a '${[...next].join(' ')}'`;
  });
  return `# keelson completion fish > ~/.config/fish/completions/keelson.fish
function __keelson_words
  set -l typed (commandline -opc)[2..-1]
  test (count $typed) -ge $argv[1]; or return 1
  test $argv[1] -eq 0; and test (count $typed) -eq 0; and return 0
  test $argv[1] -eq 0; and return 1
  test "$typed[1..$argv[1]]" = "$argv[2..-1]"
end
${lines.join('\n')}
`;
}
