import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { usageError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import { isInteractive, type Terminal } from './terminal.js';

/** Asks the person at the terminal. Each question has a flag for programs. */
export class Prompts {
  constructor(
    private readonly terminal: Terminal,
    private readonly isAllowed: boolean,
  ) {}

  get canAsk(): boolean {
    return this.isAllowed && isInteractive(this.terminal);
  }

  /** Reads a line. `otherwise` names the flag for programs, which cannot be asked. */
  async line(question: string, otherwise: string, isHidden = false): Promise<string> {
    if (!this.canAsk) throw usageError(`${question} cannot be asked for here.`, 'the terminal', otherwise);
    const { stdin, stderr } = this.terminal;
    stderr.write(`${question}: `);
    // What is typed is shown by readline on its output, so a hidden line has none.
    const output = isHidden ? new Writable({ write: (_part, _encoding, done) => done() }) : stderr;
    const lines = createInterface({ input: stdin, output, terminal: true });
    try {
      return await new Promise<string>((resolve) => {
        lines.once('line', resolve);
        lines.once('SIGINT', () => this.terminal.exit(EXIT.interrupted));
        // The end of input answers nothing.
        lines.once('close', () => resolve(''));
      });
    } finally {
      lines.close();
      if (isHidden) stderr.write('\n');
    }
  }

  async confirm(question: string, otherwise: string): Promise<boolean> {
    return /^y(es)?$/i.test((await this.line(`${question} [y/N]`, otherwise)).trim());
  }
}
