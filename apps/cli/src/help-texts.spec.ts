import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './command-program.js';
import type { Terminal } from './input/terminal.js';

const FILE = join(import.meta.dirname, '../help.txt');

/** Runs a command that prints help, and returns its output. Such a command needs neither a service nor a terminal. */
async function printed(args: readonly string[]): Promise<string> {
  let text = '';
  const sink = { isTTY: false, write: (part: string, done?: () => void) => ((text += part), done?.(), true) };
  const terminal = { stdin: { isTTY: false }, stdout: sink, stderr: sink, env: {}, exit: () => undefined };
  expect([args, await runProgram(args, terminal as unknown as Terminal)]).toEqual([args, 0]);
  return text;
}

function listed(help: string): string[] {
  const [, commands = ''] = /\nCommands:\n((?: .*\n)+)/.exec(help) ?? [];
  return [...commands.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name);
}

async function helpTexts(path: readonly string[]): Promise<string[]> {
  const help = await printed([...path, '--help']);
  expect(await printed(['help', ...path])).toBe(help);
  const texts = [`$ aas ${[...path, '--help'].join(' ')}\n${help}`];
  for (const name of listed(help).filter((each) => each !== 'help')) texts.push(...(await helpTexts([...path, name])));
  return texts;
}

/**
 * `npm run help-texts` updates the file `help.txt`. The tests compare this file with the help texts of the commands.
 */
describe('the help of the command line', () => {
  it('is the committed one', async () => {
    const topics = ['exit-codes', 'environment'];
    const ofTopics = await Promise.all(
      topics.map(async (each) => `$ aas help ${each}\n${await printed(['help', each])}`),
    );
    const text = [...(await helpTexts([])), ...ofTopics].join('\n');
    if (process.env.HELP_TEXTS === 'write') await writeFile(FILE, text);
    const isCurrent = (await readFile(FILE, 'utf8')) === text;
    expect(isCurrent || 'apps/cli/help.txt is stale. Run `npm run help-texts` and commit the result.').toBe(true);
  });
});
