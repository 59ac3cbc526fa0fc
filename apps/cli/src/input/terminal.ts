import type { ReadStream, WriteStream } from 'node:tty';

/** The parts of the process that the CLI uses. */
export interface Terminal {
  stdin: NodeJS.ReadStream | ReadStream;
  stdout: NodeJS.WriteStream | WriteStream;
  stderr: NodeJS.WriteStream | WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the process at once, for example after an interruption. */
  exit: (code: number) => never;
}

/** Whether the CLI can prompt: both standard input and standard error are terminals. */
export function isInteractive({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY && stderr.isTTY;
}

/** Reads standard input until its end. */
export async function readStdin({ stdin }: Terminal): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts).toString('utf8');
}
