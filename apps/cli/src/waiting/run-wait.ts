import type { Command } from 'commander';
import { durationMillis } from '../../../../packages/sdk/src/durations.js';
import {
  type AgentAutomation,
  type Duration,
  type Run,
  type RunEvent,
  TimeoutError,
  type TraceStep,
} from '../../../../packages/sdk/src/index.js';
import { usageError } from '../errors/command-error.js';
import { EXIT, type ExitCode } from '../errors/exit-codes.js';
import { duration } from '../input/command-arguments.js';
import type { Cli } from '../session/cli.js';

/** How a command waits for a run that it has started. */
export interface WaitOptions {
  wait?: boolean;
  follow?: boolean;
  timeout?: Duration;
}

/** Adds `--wait`, `--follow` and `--timeout` to a command that starts a run. */
export function addWaitOptions(command: Command): void {
  command
    .option('--wait', 'wait until the run has ended')
    .option('--follow', 'print the events of the run until it has ended')
    .option('--timeout <duration>', 'stop waiting after this time, for example 10m; the run continues', duration);
}

/** Checks the options before the run starts. @throws CommandError if they contradict each other */
export function checkWaitOptions({ wait = false, follow = false, timeout }: WaitOptions, command: string): void {
  if (wait && follow) throw usageError('--wait and --follow cannot be combined.', command);
  if (timeout !== undefined && !wait && !follow)
    throw usageError('--timeout needs --wait or --follow.', '--timeout', 'Add --wait.');
}

/**
 * Prints a started run. Without options, prints it at once. With `--wait`, prints it when it has ended. With
 * `--follow`, prints its events.
 */
export async function printStarted(
  aas: AgentAutomation,
  cli: Cli,
  run: Run,
  { wait = false, follow = false, timeout }: WaitOptions,
): Promise<ExitCode> {
  if (follow) return followRun(aas, cli, run.id, timeout);
  if (wait) return waitForRun(aas, cli, run, timeout);
  await cli.output.object(run, run.id);
  return EXIT.done;
}

async function waitForRun(aas: AgentAutomation, cli: Cli, { id }: Run, timeout?: Duration): Promise<ExitCode> {
  cli.interruptionNote = continues(id);
  cli.output.words(`Run ${id} has started.`);
  try {
    const ended = await aas.runs.wait(id, timeout === undefined ? {} : { timeout });
    await cli.output.object(ended, id);
    return outcomeOf(ended);
  } catch (error) {
    if (!(error instanceof TimeoutError) || timeout === undefined) throw error;
    await cli.output.object(await aas.runs.get(id), id);
    cli.output.report(continues(id));
    return EXIT.timedOut;
  }
}

/** Prints the events of a run until it has ended. Returns the exit code of its outcome, or of the timeout. */
export async function followRun(aas: AgentAutomation, cli: Cli, id: string, timeout?: Duration): Promise<ExitCode> {
  cli.interruptionNote = continues(id);
  const limit =
    timeout === undefined
      ? undefined
      : AbortSignal.timeout(Math.min(durationMillis(timeout, 'timeout'), MAX_TIMER_MILLIS));
  try {
    for await (const event of aas.runs.follow(id, limit ? { signal: limit } : {})) {
      const line = eventLine(event);
      if (line !== undefined || cli.output.options.format !== 'table') await cli.output.streamed(event, line ?? '', id);
    }
  } catch (error) {
    if (!limit?.aborted) throw error;
    cli.output.report(continues(id));
    return EXIT.timedOut;
  }
  return outcomeOf(await aas.runs.get(id));
}

function continues(id: string): string {
  return `Run ${id} continues. Follow it with \`aas runs tail ${id}\`, or cancel it with \`aas runs cancel ${id}\`.`;
}

const MAX_TIMER_MILLIS = 2 ** 31 - 1;

const SUCCESSFUL: ReadonlySet<Run['status']> = new Set(['succeeded']);

function outcomeOf({ status }: Run): ExitCode {
  return SUCCESSFUL.has(status) ? EXIT.done : EXIT.unsuccessful;
}

/** Returns position, status, type, tool, path in the plan, child run and duration of a step. */
export function stepLine(step: TraceStep): string {
  const { n, type, status } = step;
  const { path, tool, child, duration_ms: millis }: Record<string, unknown> = { ...step };
  const names = [tool, path, child].filter((each) => typeof each === 'string');
  const time = typeof millis === 'number' ? `  ${millis} ms` : '';
  return `${String(n).padStart(4)}  ${status.padEnd(17)}  ${[type, ...names].join(' ')}${time}`;
}

/** Returns the line for an event. Returns undefined for the events `end` and `text`, which are not printed. */
function eventLine(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'step':
      return stepLine(event.data);
    case 'status':
      return `run ${event.data.status}`;
    case 'end':
    case 'text':
      return undefined;
  }
}
