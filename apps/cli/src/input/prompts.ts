import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { usageError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import { isInteractive, type Terminal } from './terminal.js';

/** Prompts the person at the terminal. For scripts, each question has an option that answers it. */
export class Prompts {
  constructor(
    private readonly terminal: Terminal,
    private readonly isAllowed: boolean,
  ) {}

  get canAsk(): boolean {
    return this.isAllowed && isInteractive(this.terminal);
  }

  /** Reads a line. `otherwise` names the option for scripts, where no prompt is possible. */
  async line(question: string, otherwise: string, isHidden = false): Promise<string> {
    if (!this.canAsk)
      throw usageError(
        `Cannot prompt for "${question}", because this is not an interactive terminal or --no-input is set.`,
        'the terminal',
        otherwise,
      );
    const { stdin, stderr } = this.terminal;
    // readline echoes the typed text on its output, so the echo of a hidden line is discarded. It switches the echo of
    // the terminal off before the question is shown.
    const output = isHidden ? new Writable({ write: (_part, _encoding, done) => done() }) : stderr;
    const lines = createInterface({ input: stdin, output, terminal: true, prompt: `${question}: ` });
    if (isHidden) stderr.write(lines.getPrompt());
    else lines.prompt();
    try {
      return await new Promise<string>((resolve) => {
        lines.once('line', resolve);
        lines.once('SIGINT', () => this.terminal.exit(EXIT.interrupted));
        // If the input ends, the answer is empty.
        lines.once('close', () => resolve(''));
      });
    } finally {
      lines.close();
      // The line break that ended a hidden line was not shown either.
      if (isHidden) stderr.write('\n');
    }
  }

  async confirm(question: string, otherwise: string): Promise<boolean> {
    return /^y(es)?$/i.test((await this.line(`${question} [y/N]`, otherwise)).trim());
  }
}
