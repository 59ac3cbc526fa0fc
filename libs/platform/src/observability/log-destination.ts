import { isatty } from 'node:tty';
import type { DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { BackgroundWriter } from './background-writer.js';
import { redactMembers } from './redaction.js';
import { scrubSecrets } from './scrubber.js';

let stdout: BackgroundWriter | undefined;

/**
 * Standard output, written in the background and flushed when the process exits. One per process, because two writers
 * with buffers of their own would mix their lines.
 */
export function standardOutput(): DestinationStream {
  return (stdout ??= openStandardOutput());
}

function openStandardOutput(): BackgroundWriter {
  const writer = new BackgroundWriter(1);
  process.once('exit', () => writer.flushSync());
  return writer;
}

/** Passes every line of JSON on without secret members and without text that has the form of a secret. */
export function withoutSecrets(target: DestinationStream): DestinationStream {
  return { write: (line) => target.write(scrubSecrets(redactMembers(line))) };
}

/** Passes every line on in a form for people at a terminal. */
export function prettified(target: DestinationStream): DestinationStream {
  const prettify = prettyFactory({ translateTime: 'HH:MM:ss.l', ignore: 'pid,name', colorize: isatty(1) });
  return { write: (line) => target.write(prettify(line)) };
}
