import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import type { DestinationStream } from 'pino';
import type * as PinoPretty from 'pino-pretty';
import { BackgroundWriter } from './background-writer.js';
import { redactMembers } from './redaction.js';
import { scrubSecrets } from './scrubber.js';

let stdout: BackgroundWriter | undefined;

/** A process has only one such writer, because two writers would mix their lines. */
export function standardOutput(): DestinationStream {
  return (stdout ??= openStandardOutput());
}

function openStandardOutput(): BackgroundWriter {
  const writer = new BackgroundWriter(1);
  process.once('exit', () => writer.flushSync());
  return writer;
}

export function withoutSecrets(target: DestinationStream): DestinationStream {
  return { write: (line) => target.write(scrubSecrets(redactMembers(line))) };
}

export function prettified(target: DestinationStream): DestinationStream {
  // Most processes log JSON lines, so the package is loaded only here.
  const require = createRequire(import.meta.url);
  const { prettyFactory } = require('pino-pretty') as typeof PinoPretty;
  const prettify = prettyFactory({ translateTime: 'HH:MM:ss.l', ignore: 'pid,name', colorize: isatty(1) });
  return { write: (line) => target.write(prettify(line)) };
}
