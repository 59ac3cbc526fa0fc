import type { ReadStream, WriteStream } from 'node:tty';

export interface Terminal {
  stdin: NodeJS.ReadStream | ReadStream;
  stdout: NodeJS.WriteStream | WriteStream;
  stderr: NodeJS.WriteStream | WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the process at once, for example after an interruption. */
  exit: (code: number) => never;
}

/** Whether standard input and standard error are terminals, so that prompts are possible. */
export function isInteractive({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY && stderr.isTTY;
}

export async function readStdin({ stdin }: Terminal): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts).toString('utf8');
}
