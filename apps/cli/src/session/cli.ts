import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import { EXIT, type ExitCode } from '../errors/exit-codes.js';
import { type Format, Output } from '../output/output.js';
import { connect, type Connection } from './service-connection.js';
import { Prompts, type Terminal } from '../input/terminal.js';

export interface GlobalOptions {
  output: Format;
  quiet: boolean;
  input: boolean;
  context?: string;
}

/** One invocation of the CLI: its options, its output, and the connection to the service. */
export class Cli {
  output: Output;
  prompts: Prompts;
  exitCode: ExitCode = EXIT.done;
  /** Printed if the person interrupts the command while the service continues its work. */
  interruptionNote: string | undefined;
  /** Address of the service. Undefined until the command connects. */
  address: string | undefined;
  private contextName: string | undefined;
  private connected: Promise<Connection> | undefined;

  constructor(readonly terminal: Terminal) {
    this.output = new Output(terminal.stdout, terminal.stderr);
    this.prompts = new Prompts(terminal, true);
  }

  configure({ output, quiet, input, context }: GlobalOptions): void {
    const { stdout, stderr, env } = this.terminal;
    const isColored = stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb';
    this.output = new Output(stdout, stderr, { format: output, isQuiet: quiet, isColored });
    this.prompts = new Prompts(this.terminal, input);
    this.contextName = context;
  }

  /** Returns the client for the service. Throws if the person is not signed in. */
  async client(): Promise<AgentAutomation> {
    return (await this.connection()).aas;
  }

  async connection(): Promise<Connection> {
    this.connected ??= connect(this.contextName, this.terminal);
    const connection = await this.connected;
    this.address = connection.address;
    return connection;
  }

  /** Wraps the handler of a command. The exit code is the result of `handler`, or 0 if it returns nothing. */
  action<Arguments extends unknown[]>(
    handler: (...given: Arguments) => Promise<ExitCode | undefined> | Promise<void>,
  ): (...given: Arguments) => Promise<void> {
    return async (...given) => {
      this.exitCode = (await handler(...given)) ?? EXIT.done;
    };
  }

  interrupt(): never {
    if (this.interruptionNote !== undefined) this.output.report(this.interruptionNote);
    this.terminal.exit(EXIT.interrupted);
  }
}
