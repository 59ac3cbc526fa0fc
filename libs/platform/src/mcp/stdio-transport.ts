import { type ChildProcess, spawn } from 'node:child_process';
import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';

export interface StdioProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/** Time in milliseconds that the program has to exit after its input is closed. The same time applies after SIGTERM. */
const END_MILLIS = 2_000;
const NEW_LINE = 0x0a;

/**
 * Transport for a tool server that is a program on this machine, with one JSON message per line. A program that writes
 * more than `maxBytes` for one call is killed at once. The MCP library also has a transport for programs, but it limits
 * only the length of a line and not the number of lines.
 */
export class StdioTransport implements Transport {
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onmessage: Transport['onmessage'];
  /** The error because of which this transport killed the program. */
  failure: Error | undefined;
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private partial: Buffer[] = [];
  private received = 0;

  constructor(
    private readonly program: StdioProgram,
    private readonly maxBytes: number,
  ) {}

  /** Resets the count of received bytes. Must be called at the start of each call. */
  restart(): void {
    this.received = 0;
  }

  start(): Promise<void> {
    const { command, args } = this.program;
    const child = spawn(command, args, { env: getDefaultEnvironment(), stdio: ['pipe', 'pipe', 'ignore'] });
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('close', () => {
        resolve();
        this.onclose?.();
      });
    });
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.receive(chunk));
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.child ?? {};
    if (!stdin?.writable) throw new SdkError(SdkErrorCode.NotConnected, 'The process of the MCP server has exited.');
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await new Promise((resolve) => stdin.once('drain', resolve));
  }

  /** Ends the program: closes its input, then sends SIGTERM, then SIGKILL. */
  async close(): Promise<void> {
    const { child } = this;
    if (!child || this.failure) return;
    // Discards further output of the program, so that a full pipe does not block its exit.
    child.stdout?.removeAllListeners('data').resume();
    child.stdin?.end();
    if (await this.endsInTime()) return;
    child.kill('SIGTERM');
    if (!(await this.endsInTime())) child.kill('SIGKILL');
  }

  private endsInTime(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), END_MILLIS);
      timer.unref();
      void this.ended.then(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  private receive(chunk: Buffer): void {
    this.received += chunk.length;
    if (this.received > this.maxBytes) return this.kill();
    let from = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, from)) {
      const line = Buffer.concat([...this.partial, chunk.subarray(from, end)]).toString();
      this.partial = [];
      from = end + 1;
      this.deliver(line);
    }
    if (from < chunk.length) this.partial.push(chunk.subarray(from));
  }

  /**
   * Delivers the message in a line. Skips a line that is not a message, because some servers print other text as well.
   */
  private deliver(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (typeof message !== 'object' || message === null || !('jsonrpc' in message)) return;
    try {
      this.onmessage?.(message as JSONRPCMessage);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  private kill(): void {
    const megabytes = Math.ceil(this.maxBytes / 1024 / 1024);
    this.failure = new Error(`The tool server wrote more than ${megabytes} MiB for one call.`);
    this.partial = [];
    this.child?.stdout?.destroy();
    this.child?.kill('SIGKILL');
    this.onerror?.(this.failure);
  }
}
