import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { usageError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';

export interface Terminal {
  stdin: NodeJS.ReadStream | ReadStream;
  stdout: NodeJS.WriteStream | WriteStream;
  stderr: NodeJS.WriteStream | WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the process at once, for example after an interruption. */
  exit: (code: number) => never;
}

/** Whether standard input and standard error are terminals, so that prompts are possible. */
function isInteractive({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY && stderr.isTTY;
}

export async function readStdin({ stdin }: Terminal): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts).toString('utf8');
}

/** Prompts the person at the terminal. Scripts use options instead. */
export class Prompts {
  constructor(
    private readonly terminal: Terminal,
    private readonly isAllowed: boolean,
  ) {}

  get canAsk(): boolean {
    return this.isAllowed && isInteractive(this.terminal);
  }

  /**
   * Prompts for one line. Throws a usage error if no prompt is possible. The error contains `otherwise`, which says
   * what a script can do instead.
   */
  async line(question: string, otherwise: string, isHidden = false): Promise<string> {
    if (!this.canAsk)
      throw usageError(
        `Cannot prompt for "${question}", because this is not an interactive terminal or --no-input is set.`,
        'the terminal',
        otherwise,
      );
    const { stdin, stderr } = this.terminal;
    // readline disables the echo of the terminal and echoes the typed text itself. For a hidden line, the output of
    // readline is discarded. The question is written only after `createInterface`, which disables the echo.
    const output = isHidden ? new Writable({ write: (_part, _encoding, done) => done() }) : stderr;
    const lines = createInterface({ input: stdin, output, terminal: true, prompt: `${question}: ` });
    if (isHidden) stderr.write(lines.getPrompt());
    else lines.prompt();
    try {
      return await new Promise<string>((resolve) => {
        lines.once('line', resolve);
        lines.once('SIGINT', () => this.terminal.exit(EXIT.interrupted));
        // The answer is empty if the input ends.
        lines.once('close', () => resolve(''));
      });
    } finally {
      lines.close();
      // readline's line break was discarded with its other output, so it is written here.
      if (isHidden) stderr.write('\n');
    }
  }

  async confirm(question: string, otherwise: string): Promise<boolean> {
    return /^y(es)?$/i.test((await this.line(`${question} [y/N]`, otherwise)).trim());
  }
}
