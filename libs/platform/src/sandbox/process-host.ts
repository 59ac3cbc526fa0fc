import { pathToFileURL } from 'node:url';
import { errorText, storableText } from '@app/kernel';

export interface CallMessage {
  id: number;
  method: string;
  argument: unknown;
}

export interface FailureMessage {
  name: string;
  message: string;
  details: Record<string, string | number | boolean>;
}

export type AnswerMessage =
  | { ready: true }
  | { turn: true }
  | { id: number; value: unknown }
  | { id: number; failure: FailureMessage }
  | { crash: FailureMessage };

/** The message may come from a remote server, which can send a text of any length. */
const MAX_MESSAGE = 1_000;
const MAX_DETAIL = 200;
const TURN_MILLIS = 200;

type Functions = Readonly<Record<string, (argument: unknown) => unknown>>;

async function serve(program: string, reportsTurns: boolean): Promise<void> {
  if (reportsTurns) setInterval(() => process.send?.({ turn: true } satisfies AnswerMessage), TURN_MILLIS);
  process.on('uncaughtException', (error) => {
    process.send?.({ crash: failureOf(error) } satisfies AnswerMessage, () => process.exit(1));
  });
  // Only the service may end this process, so this process ignores them.
  process.on('SIGINT', () => undefined).on('SIGTERM', () => undefined);
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const functions = (await import(pathToFileURL(program).href)) as Functions;
  process.on('message', (call: CallMessage) => {
    void answerTo(call, functions).then((answer) => send(answer, call.id));
  });
  process.send?.({ ready: true } satisfies AnswerMessage);
}

async function answerTo({ id, method, argument }: CallMessage, functions: Functions): Promise<AnswerMessage> {
  try {
    return { id, value: await functions[method]?.(argument) };
  } catch (error) {
    return { id, failure: failureOf(error) };
  }
}

/** If the value cannot be copied to the service, the call fails. */
function send(answer: AnswerMessage, id: number): void {
  const failed = (error: unknown): void =>
    void process.send?.({ id, failure: failureOf(error) } satisfies AnswerMessage);
  try {
    process.send?.(answer, undefined, undefined, (error) => error && failed(error));
  } catch (error) {
    failed(error);
  }
}

function failureOf(error: unknown): FailureMessage {
  const details: FailureMessage['details'] = {};
  for (const [name, value] of Object.entries(error instanceof Error ? error : {}) as [string, unknown][]) {
    if (typeof value === 'string') details[name] = plainText(value, MAX_DETAIL);
    if (typeof value === 'number' || typeof value === 'boolean') details[name] = value;
  }
  const name = error instanceof Error ? error.name : 'Error';
  return { name, message: plainText(errorText(error), MAX_MESSAGE), details };
}

function plainText(text: string, longest: number): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
  return storableText(text.slice(0, longest)).replace(/[\u0000-\u001f\u007f]+/g, ' ');
}

const [program = '', turns] = process.argv.slice(2);
await serve(program, turns === 'turns');
