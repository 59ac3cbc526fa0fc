import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from './repository-root.js';

const AAS = join(REPOSITORY_ROOT, 'dist/cli/aas.mjs');

/** What a command did. */
export interface CommandOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  input?: string;
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}

/** The built `aas` with a home of its own, as a person with this environment starts it. */
export class CommandLine {
  private constructor(
    readonly home: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static async open(env: Readonly<Record<string, string>> = {}): Promise<CommandLine> {
    if (!existsSync(AAS)) throw new Error(`${AAS} is missing: run npm test or npm run build first.`);
    return new CommandLine(await mkdtemp(join(tmpdir(), 'aas-home-')), env);
  }

  /** Starts a command without waiting for its end. Its standard input stays open. */
  start(args: readonly string[], { cwd = this.home, env = {} }: CommandOptions = {}): ChildProcess {
    return spawn(process.execPath, [AAS, ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: this.home, ...this.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** Runs a command until its end. */
  run(args: readonly string[], options: CommandOptions = {}): Promise<CommandOutcome> {
    const child = this.start(args, options);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
    return outcomeOf(child);
  }

  /** Runs a command that succeeds, and returns what it prints as JSON. */
  async json<Value>(args: readonly string[], options: CommandOptions = {}): Promise<Value> {
    const { code, stdout, stderr } = await this.run([...args, '-o', 'json'], options);
    if (code !== 0) throw new Error(`aas ${args.join(' ')} ended with ${code ?? 'a signal'}:\n${stderr}`);
    return JSON.parse(stdout) as Value;
  }

  close(): Promise<void> {
    return rm(this.home, { recursive: true, force: true });
  }
}

/** The outcome of a command that was started. */
export async function outcomeOf(child: ChildProcess): Promise<CommandOutcome> {
  const [out, error] = [child.stdout, child.stderr].map((stream) => {
    const parts: string[] = [];
    stream?.on('data', (part) => parts.push(String(part)));
    return parts;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout: (out ?? []).join(''), stderr: (error ?? []).join('') };
}
