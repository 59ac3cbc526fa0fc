import { errorText, storableText } from '@app/kernel';
import type { AnswerMessage, CallMessage, FailureMessage } from './messages.js';
import { startWatchdog } from './watchdog.js';

/** Characters of an error that reach the service: the peer may have written it. */
const LONGEST_MESSAGE = 1_000;
const LONGEST_DETAIL = 200;

type Methods = Readonly<Record<string, (argument: never) => unknown>>;

/**
 * Carries out the calls of the service, each in its turn or at the same time. Whoever implements a method bounds the size of what it
 * returns: the service reads it whole. To be called once, by the program of an `IsolatedProcess`.
 */
export function serveCalls(methods: Methods): void {
  const [memoryMegabytes, blockedMillis] = process.argv.slice(2).map(Number);
  startWatchdog({ memoryMegabytes: memoryMegabytes ?? 0, blockedMillis: blockedMillis ?? 0 });
  process.on('uncaughtException', (error) => {
    process.send?.({ crash: failureOf(error) } satisfies AnswerMessage, () => process.exit(1));
  });
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => void answer(methods, message as CallMessage));
}

async function answer(methods: Methods, { id, method, argument }: CallMessage): Promise<void> {
  let message: AnswerMessage;
  try {
    message = { id, value: await methods[method]?.(argument as never) };
  } catch (error) {
    message = { id, failure: failureOf(error) };
  }
  process.send?.(message);
}

function failureOf(error: unknown): FailureMessage {
  const details: FailureMessage['details'] = {};
  for (const [name, value] of Object.entries(error instanceof Error ? error : {}) as [string, unknown][]) {
    if (typeof value === 'string') details[name] = plainText(value, LONGEST_DETAIL);
    if (typeof value === 'number' || typeof value === 'boolean') details[name] = value;
  }
  const name = error instanceof Error ? error.name : 'Error';
  return { name, message: plainText(errorText(error), LONGEST_MESSAGE), details };
}

/** One line that can be stored. */
function plainText(text: string, longest: number): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is replaced
  return storableText(text.slice(0, longest)).replace(/[\u0000-\u001f\u007f]+/g, ' ');
}
