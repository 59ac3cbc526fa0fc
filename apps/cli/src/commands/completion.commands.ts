import type { Command } from 'commander';
import type { Cli } from '../session/cli.js';
import { usageError } from '../errors/command-error.js';

/** The suggested commands and options. The key is the path of the commands typed so far, for example `runs list`. */
type Words = ReadonlyMap<string, readonly string[]>;

export function configureCompletion(completion: Command, cli: Cli): void {
  completion.argument('<shell>', 'bash, zsh or fish').action(
    cli.action(async (shell: string) => {
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
      if (!script)
        throw usageError(`There is no completion script for \`${shell}\`.`, '<shell>', 'Write bash, zsh or fish.');
      await cli.output.print(script(allWords(completion)));
    }),
  );
}

function allWords(completion: Command): Words {
  const words = new Map<string, readonly string[]>();
  collect(completion.parent ?? completion, [], words);
  return words;
}

function collect(command: Command, path: readonly string[], words: Map<string, readonly string[]>): void {
  const options = command.options.flatMap(({ long }) => (long ? [long] : []));
  words.set(path.join(' '), [...command.commands.map((each) => each.name()), ...options]);
  for (const each of command.commands) collect(each, [...path, each.name()], words);
}

const cases = (words: Words, line: (path: string, next: string) => string): string =>
  [...words].map(([path, next]) => line(path, next.join(' '))).join('\n');

const SCRIPTS: Readonly<Record<string, (words: Words) => string>> = {
  bash: (words) => `# eval "$(aas completion bash)"
_aas() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  local next=""
  while :; do
    case "$path" in
${cases(words, (path, next) => `      "${path}") next="${next}" ;;`)}
    esac
    [ -n "$next" ] || [ -z "$path" ] && break
    case "$path" in *" "*) path="\${path% *}" ;; *) path="" ;; esac
  done
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _aas aas`,
  zsh: (words) => `# eval "$(aas completion zsh)"
_aas() {
  local typed="" word next=""
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) ;; *) typed="\${typed:+$typed }$word" ;; esac
  done
  while :; do
    case "$typed" in
${cases(words, (path, next) => `      "${path}") next="${next}" ;;`)}
    esac
    [[ -n "$next" || -z "$typed" ]] && break
    case "$typed" in *" "*) typed="\${typed% *}" ;; *) typed="" ;; esac
  done
  compadd -- \${=next}
  _files
}
compdef _aas aas`,
  fish: (words) => `# aas completion fish | source
function __aas_words
    set -l typed (commandline -opc)[2..-1]
    set typed (string match -v -- '-*' $typed)
    while true
        switch "$typed"
${cases(words, (path, next) => `            case '${path}'\n                string split ' ' -- '${next}'\n                return`)}
        end
        test (count $typed) -gt 0; or return
        set typed $typed[1..-2]
    end
end
complete -c aas -a '(__aas_words)'`,
};
