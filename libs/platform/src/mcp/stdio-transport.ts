import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { programFolder } from './program-folder.js';

export interface StdioProgram {
  readonly command: string;
  readonly args: readonly string[];
}

const END_MILLIS = 2_000;
const NEW_LINE = 0x0a;

/**
 * A program that writes more than `maxBytes` for one call is killed at once. The MCP library also has a transport for
 * programs, but it limits only the length of a line and not the number of lines.
 */
export class StdioTransport implements Transport {
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onmessage: Transport['onmessage'];
  failure: Error | undefined;
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private partial: Buffer[] = [];
  private received = 0;

  constructor(
    private readonly program: StdioProgram,
    private readonly maxBytes: number,
    private readonly parse: (line: string) => unknown,
  ) {}

  /** Must be called at the start of each call. */
  restart(): void {
    this.received = 0;
  }

  /** The program works in an empty folder that no other program has. The folder is removed after the program. */
  async start(): Promise<void> {
    const { command, args } = this.program;
    const folder = await programFolder();
    const child = spawn(command.includes('/') ? resolve(command) : command, args, {
      cwd: folder,
      env: { ...getDefaultEnvironment(), TMPDIR: folder },
      // The program leads a group of processes, so that its child processes can be ended with it.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.child = child;
    this.ended = new Promise((done) => {
      child.once('close', () => {
        this.onclose?.();
        void rm(folder, { recursive: true, force: true }).finally(done);
      });
    });
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.receive(chunk));
    return new Promise((done, reject) => {
      child.once('spawn', done);
      child.once('error', reject);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.child ?? {};
    if (!stdin?.writable) throw new SdkError(SdkErrorCode.NotConnected, 'The process of the MCP server has exited.');
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await new Promise((done) => stdin.once('drain', done));
  }

  async close(): Promise<void> {
    const { child } = this;
    if (!child) return;
    // Discards further output of the program, so that a full pipe does not block its exit.
    child.stdout?.removeAllListeners('data').resume();
    child.stdin?.end();
    if (await this.endsInTime()) return;
    this.signal('SIGTERM');
    if (await this.endsInTime()) return;
    this.signal('SIGKILL');
    await this.endsInTime();
  }

  private endsInTime(): Promise<boolean> {
    return new Promise((done) => {
      const timer = setTimeout(() => done(false), END_MILLIS);
      timer.unref();
      void this.ended.then(() => {
        clearTimeout(timer);
        done(true);
      });
    });
  }

  private signal(signal: NodeJS.Signals): void {
    const { pid } = this.child ?? {};
    if (pid === undefined) return;
    try {
      // oxlint-disable-next-line project/no-process-exit -- a group of other processes, which this one started
      process.kill(-pid, signal);
    } catch {
      // All processes of the group have ended.
    }
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

  /** Skips a line that is not a message, because some servers print other text as well. */
  private deliver(line: string): void {
    let message: unknown;
    try {
      message = this.parse(line);
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
    this.signal('SIGKILL');
    this.onerror?.(this.failure);
  }
}
