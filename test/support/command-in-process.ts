import { PassThrough, Writable } from 'node:stream';
import { runProgram } from '../../apps/cli/src/command-program.js';
import type { Terminal } from '../../apps/cli/src/input/terminal.js';

export interface InProcessCommand {
  input: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

class Collected extends Writable {
  text = '';

  override _write(part: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += part.toString('utf8');
    done();
  }
}

/**
 * Runs a command of the CLI in the process of the test, with standard streams that are no terminals. Changes the current
 * folder of the process, because the paths in the arguments of a command are relative to it.
 */
export async function runInProcess(
  args: readonly string[],
  { input, cwd, env }: InProcessCommand,
): Promise<{ code: number; stdout: string; stderr: string }> {
  process.chdir(cwd);
  const [stdout, stderr, stdin] = [new Collected(), new Collected(), new PassThrough()];
  stdin.end(input);
  const terminal: Pick<Terminal, 'env' | 'exit'> & Record<'stdin' | 'stdout' | 'stderr', unknown> = {
    stdin,
    stdout,
    stderr,
    env,
    exit: (code) => {
      throw new Error(`The command ended the process with ${code}.`);
    },
  };
  const code = await runProgram(args, terminal as Terminal);
  return { code, stdout: stdout.text, stderr: stderr.text };
}
