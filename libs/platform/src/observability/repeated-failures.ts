import { types } from 'node:util';
import { type LogFn, type Logger, pino } from 'pino';

const WARN = pino.levels.values.warn;
const WINDOW_MILLIS = 60_000;
/** Failures with other causes are all logged. */
const MAX_CAUSES = 1_000;
const MAX_LINKS = 6;

/** The timer must not keep the process alive. */
export type Later = (millis: number, action: () => void) => void;

const unrefTimer: Later = (millis, action) => void setTimeout(action, millis).unref();

interface Counted {
  repeated: number;
  report: (repeated: number) => void;
}

/**
 * The first failure with a cause is logged at once. Further failures with this cause are counted, and logged as one
 * line at the end of each minute.
 */
class RepeatedFailures {
  private readonly counted = new Map<string, Counted>();

  constructor(private readonly later: Later = unrefTimer) {}

  isFirst(cause: string, report: (repeated: number) => void): boolean {
    const known = this.counted.get(cause);
    if (known) {
      known.repeated += 1;
      known.report = report;
      return false;
    }
    if (this.counted.size < MAX_CAUSES) {
      this.counted.set(cause, { repeated: 0, report });
      this.later(WINDOW_MILLIS, () => this.endWindow(cause));
    }
    return true;
  }

  private endWindow(cause: string): void {
    const known = this.counted.get(cause);
    if (!known || known.repeated === 0) {
      this.counted.delete(cause);
      return;
    }
    known.report(known.repeated);
    known.repeated = 0;
    this.later(WINDOW_MILLIS, () => this.endWindow(cause));
  }
}

/**
 * Two warnings have the same cause if these agree: the message, the types and codes in the `cause` chain of `err`, and
 * all string fields except the request id. All lines of other levels are logged.
 */
export function repeatedFailuresHook(later?: Later) {
  const failures = new RepeatedFailures(later);
  return function logMethod(this: Logger, args: readonly unknown[], method: LogFn, level: number): void {
    const [fields, message] = args;
    const write = (written: readonly unknown[]): void => void Reflect.apply(method, this, written);
    if (level !== WARN || !isFailure(fields)) return write(args);
    const report = (repeated: number): void => write([{ ...fields, repeated }, message]);
    if (failures.isFirst(causeOf(fields, message), report)) write(args);
  };
}

interface Failure {
  err: Error;
}

function isFailure(fields: unknown): fields is Failure {
  return typeof fields === 'object' && fields !== null && 'err' in fields && types.isNativeError(fields.err);
}

function causeOf(failure: Failure, message: unknown): string {
  const names = Object.entries(failure).filter(([key, value]) => typeof value === 'string' && key !== 'requestId');
  return JSON.stringify([message, names, linksOf(failure.err)]);
}

/** Uses the code of an error instead of its message, because messages of database errors name files and rows. */
function linksOf(error: unknown, most = MAX_LINKS): string[] {
  if (!types.isNativeError(error) || most === 0) return [];
  const code = 'code' in error ? error.code : undefined;
  const link = `${error.name} ${typeof code === 'string' ? code : error.message}`;
  return [link, ...linksOf(error.cause, most - 1)];
}
