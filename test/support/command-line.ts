import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInProcess } from './command-in-process.js';
import { PseudoTerminal, type PseudoTerminalOptions } from './pseudo-terminal.js';
import { REPOSITORY_ROOT } from './repository-root.js';

/** Folder of the test process when it starts. Commands in this process change it. */
const FIRST_FOLDER = process.cwd();
const AAS = join(REPOSITORY_ROOT, 'dist/cli/aas.mjs');

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

type TerminalOptions = Partial<Omit<PseudoTerminalOptions, 'cwd'>>;

export class CommandLine {
  private readonly terminals: PseudoTerminal[] = [];

  private constructor(
    readonly home: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static async open(env: Readonly<Record<string, string>> = {}): Promise<CommandLine> {
    if (!existsSync(AAS)) throw new Error(`${AAS} is missing: run npm test or npm run build first.`);
    return new CommandLine(await mkdtemp(join(tmpdir(), 'aas-home-')), env);
  }

  /** Starts a command without waiting for its exit. Its standard input stays open. */
  start(args: readonly string[], { cwd = this.home, env = {} }: CommandOptions = {}): ChildProcess {
    return spawn(process.execPath, [AAS, ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: this.home, ...this.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /**
   * Runs a command to its end, in the process of the test. The tests of exit codes, pipes, signals and terminals use
   * {@link runProcess}, {@link start}, {@link shell} and {@link terminal}.
   */
  run(args: readonly string[], options: CommandOptions = {}): Promise<CommandOutcome> {
    const { cwd = this.home, env = {}, input = '' } = options;
    // Only the built CLI contains the templates of `init`, and the skill.
    if (args[0] === 'init' || args[0] === 'skill') return this.runProcess(args, options);
    return runInProcess(args, { input, cwd, env: { PATH: process.env.PATH, HOME: this.home, ...this.env, ...env } });
  }

  runProcess(args: readonly string[], options: CommandOptions = {}): Promise<CommandOutcome> {
    const child = this.start(args, options);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
    return outcomeOf(child);
  }

  /** Runs a command that must succeed, and parses its output as JSON. */
  async json<Value>(args: readonly string[], options: CommandOptions = {}): Promise<Value> {
    const { code, stdout, stderr } = await this.run([...args, '-o', 'json'], options);
    if (code !== 0) throw new Error(`aas ${args.join(' ')} ended with ${code ?? 'a signal'}:\n${stderr}`);
    return JSON.parse(stdout) as Value;
  }

  /**
   * Runs a bash script in which the command `aas` is the built CLI. The script ends at the first command that fails,
   * even within a pipeline.
   */
  async shell(script: string, { cwd = this.home, env = {} }: CommandOptions = {}): Promise<CommandOutcome> {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd,
      env: { ...(await this.shellEnvironment()), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return outcomeOf(child);
  }

  async terminal(script: string, { columns, env = {} }: TerminalOptions = {}): Promise<PseudoTerminal> {
    const environment = { ...(await this.shellEnvironment()), ...env };
    const opened = PseudoTerminal.open('bash', ['-c', script], { cwd: this.home, env: environment, columns });
    this.terminals.push(opened);
    return opened;
  }

  private async shellEnvironment(): Promise<Record<string, string>> {
    const programs = join(this.home, 'bin');
    await mkdir(programs, { recursive: true });
    await writeFile(join(programs, 'aas'), `#!/bin/sh\nexec '${process.execPath}' '${AAS}' "$@"\n`, { mode: 0o755 });
    return { HOME: this.home, ...this.env, PATH: `${programs}:${process.env.PATH ?? ''}` };
  }

  close(): Promise<void> {
    for (const terminal of this.terminals) terminal.close();
    process.chdir(FIRST_FOLDER);
    return rm(this.home, { recursive: true, force: true });
  }
}

export async function outcomeOf(child: ChildProcess): Promise<CommandOutcome> {
  const [out, error] = [child.stdout, child.stderr].map((stream) => {
    const parts: string[] = [];
    stream?.on('data', (part) => parts.push(String(part)));
    return parts;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout: (out ?? []).join(''), stderr: (error ?? []).join('') };
}

/**
 * Parts of an error message of the CLI: what is wrong, where, and what to do. `request` is the request id, if the
 * service rejected a request.
 */
export interface ReportedFailure {
  what: string;
  where: string;
  /** Further locations of the error, which the message lists below the line `Where`. */
  places: string[];
  remedy: string;
  request: string | undefined;
}

/** Parses the error message at the end of the standard error output. Throws if a line is missing. */
export function failureIn({ stderr }: CommandOutcome): ReportedFailure {
  const found = /(?:^|\n)Error: (.+)\nWhere: (.+)\n((?: {2}.+\n)*)What to do: (.+)\n(?:Request: (\S+)\n)?$/.exec(
    stderr,
  );
  if (!found) throw new Error(`This is not a failure with its place and its remedy:\n${stderr}`);
  const [, what = '', where = '', places = '', remedy = '', request] = found;
  return { what, where, places: places.split('\n').filter(Boolean), remedy, request };
}
