import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandLine, type CommandOptions, type CommandOutcome } from './command-line.js';
import { eventually } from './eventually.js';
import { Scene } from './scene.js';

export interface PrintedObject {
  id: string;
  name: string;
  status: string;
  /** The API key itself. Only commands that create or rotate a key print it. */
  key: string;
  [member: string]: unknown;
}

export function linesOf(text: string): string[] {
  return text.split('\n').filter(Boolean);
}

export function objectsOf(text: string): PrintedObject[] {
  return linesOf(text).map((line) => JSON.parse(line) as PrintedObject);
}

export class CommandScene {
  readonly outcomes: CommandOutcome[] = [];

  private constructor(
    readonly scene: Scene,
    readonly aas: CommandLine,
    readonly folder: string,
  ) {}

  static async start(): Promise<CommandScene> {
    const scene = await Scene.start();
    const aas = await CommandLine.open({ AAS_URL: scene.stack.baseUrl, AAS_API_KEY: scene.stack.adminKey });
    return new CommandScene(scene, aas, await mkdtemp(join(tmpdir(), 'aas-commands-')));
  }

  async stop(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await this.aas.close();
    await this.scene.stop();
  }

  async run(args: readonly string[], options: CommandOptions = {}): Promise<CommandOutcome> {
    const outcome = await this.aas.run(args, { cwd: this.folder, ...options });
    this.outcomes.push(outcome);
    return outcome;
  }

  /** Runs a command that must succeed, and returns its standard output. */
  async printed(args: readonly string[], options: CommandOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`aas ${args.join(' ')} ended with ${code ?? 'a signal'}:\n${stderr}`);
    return stdout;
  }

  /** Runs a command that must succeed, and parses its output as JSON. */
  async json<Value = PrintedObject>(args: readonly string[], options: CommandOptions = {}): Promise<Value> {
    return JSON.parse(await this.printed([...args, '-o', 'json'], options)) as Value;
  }

  async write(file: string, text: string): Promise<string> {
    await writeFile(join(this.folder, file), text);
    return file;
  }

  /** Resolves when the service rejects the key. After a revocation, this can take some seconds. */
  async refusesKey(key: string): Promise<void> {
    await eventually(async () => {
      const { code } = await this.run(['whoami'], { env: { AAS_API_KEY: key } });
      if (code !== 4) throw new Error(`The key is accepted: aas whoami ended with ${code ?? 'a signal'}.`);
    });
  }
}
