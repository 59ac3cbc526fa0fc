import { type IPty, spawn } from '@lydell/node-pty';
import { eventually } from './eventually.js';

export interface PseudoTerminalOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  columns?: number;
}

const KEYS = { enter: '\r', interrupt: '\u0003', endOfInput: '\u0004' } as const;

/** A program in a pseudo-terminal. The test reads its output and types its input, as a person would. */
export class PseudoTerminal {
  private written = '';
  private code: number | undefined;

  private constructor(private readonly process: IPty) {
    process.onData((part) => (this.written += part));
    process.onExit(({ exitCode }) => (this.code = exitCode));
  }

  static open(file: string, args: readonly string[], options: PseudoTerminalOptions): PseudoTerminal {
    const { cwd, env, columns = 120 } = options;
    return new PseudoTerminal(spawn(file, [...args], { name: 'xterm-256color', cols: columns, rows: 40, cwd, env }));
  }

  get text(): string {
    return this.written;
  }

  async shows(pattern: RegExp): Promise<void> {
    await eventually(
      () => {
        if (!pattern.test(this.written)) throw new Error(`The terminal does not show ${pattern}:\n${this.written}`);
      },
      { within: 150_000 },
    );
  }

  type(text: string): void {
    this.process.write(text);
  }

  press(key: keyof typeof KEYS): void {
    this.process.write(KEYS[key]);
  }

  /** Kills the program if it still runs. */
  close(): void {
    if (this.code === undefined) this.process.kill('SIGKILL');
  }

  ended(): Promise<number> {
    return eventually(
      () => {
        if (this.code === undefined) throw new Error(`The program has not ended:\n${this.written}`);
        return this.code;
      },
      { within: 150_000 },
    );
  }
}
