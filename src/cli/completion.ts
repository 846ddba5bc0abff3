/** `personalisation completion bash|zsh|fish`: prints the completions of a shell. */

import { Argument, type Command } from 'commander';
import { conclude } from './connection/outcome.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof shells)[number];

/** A command by its words, such as `items get`; the program itself has no words. */
type Place = {
  words: string;
  next: { word: string; description: string }[];
  /** A command with subcommands takes no files. */
  isGroup: boolean;
};

/** @param loadAll Registers the other commands. */
export function registerCompletion(program: Command, loadAll: () => Promise<void>): void {
  program
    .command('completion')
    .description('print completions for a shell, e.g. source <(personalisation completion bash)')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: Shell) =>
      conclude(async () => {
        await loadAll();
        const places = placesOf(program);
        process.stdout.write(shell === 'fish' ? printFish(places) : printBash(places, shell));
      }),
    );
}

function placesOf(command: Command, words: string[] = []): Place[] {
  const commands = command.commands.map((sub) => ({ word: sub.name(), description: sub.description() }));
  const options = command.options.map(({ long, description }) => ({ word: long ?? '', description }));
  const choices = command.registeredArguments
    .flatMap(({ argChoices }) => argChoices ?? [])
    .map((word) => ({ word, description: '' }));
  const next = [...commands, ...choices, ...options].filter(({ word }) => word !== '');
  const own = { words: words.join(' '), next, isGroup: commands.length > 0 };
  return [own, ...command.commands.flatMap((sub) => placesOf(sub, [...words, sub.name()]))];
}

/** zsh runs the completions of bash. A word that is not a command is completed as a file. */
function printBash(places: readonly Place[], shell: Shell): string {
  const named = places.filter(({ words }) => words !== '');
  const cases = places.map(
    ({ words, next }) => `    "${words}") words="${next.map(({ word }) => word).join(' ')}" ;;`,
  );
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_personalisation() {
  local place="" words="" i next
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${place:+$place }\${COMP_WORDS[i]}"
    case "$next" in
    ${named.map(({ words }) => `"${words}"`).join(' | ')}) place="$next" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _personalisation personalisation
`;
}

function printFish(places: readonly Place[]): string {
  const lines = places.flatMap(({ words, next, isGroup }) => {
    const seen = words.split(' ').filter((word) => word !== '');
    const condition =
      seen.length === 0
        ? '__fish_use_subcommand'
        : seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const completed = next.map(({ word, description }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c personalisation -n '${condition}' ${what} -d '${quoted(description)}'`;
    });
    return isGroup ? [`complete -c personalisation -n '${condition}' -f`, ...completed] : completed;
  });
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
