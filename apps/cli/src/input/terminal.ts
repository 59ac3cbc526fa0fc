import type { ReadStream, WriteStream } from 'node:tty';

/** What the program knows of the process that it runs in. */
export interface Terminal {
  stdin: NodeJS.ReadStream | ReadStream;
  stdout: NodeJS.WriteStream | WriteStream;
  stderr: NodeJS.WriteStream | WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the program at once, as an interruption does. */
  exit: (code: number) => never;
}

/** Both ends of a conversation are a terminal. */
export function isInteractive({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY && stderr.isTTY;
}

/** Standard input until its end. */
export async function readStdin({ stdin }: Terminal): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts).toString('utf8');
}
