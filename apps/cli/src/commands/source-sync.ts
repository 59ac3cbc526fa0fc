import { setTimeout as pause } from 'node:timers/promises';
import type { AgentAutomation, Duration } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { CommandError } from '../errors/command-error.js';
import { Deadline } from '../waiting/wait-deadline.js';
import { EXIT, type ExitCode } from '../errors/exit-codes.js';
import { ProgressBar } from '../waiting/progress-bar.js';

export type Sync = Awaited<ReturnType<AgentAutomation['sources']['sync']>>;

const PAUSE_MILLIS = 1_000;
const SUCCESSFUL: ReadonlySet<Sync['status']> = new Set(['succeeded']);

/** Returns each sync once, in its last state. */
export function eachOnce(syncs: readonly Sync[]): Sync[] {
  return [...new Map(syncs.map((sync) => [sync.id, sync])).values()];
}

/**
 * Starts a sync of one source, or of all sources of the knowledge base. A push already syncs an `upload` source, so
 * these sources are synced only if the base has no other source.
 */
export async function syncBase(aas: AgentAutomation, base: string, source: string | undefined): Promise<Sync[]> {
  if (source !== undefined) return [await aas.sources.sync(base, source)];
  const sources = [];
  for await (const each of aas.sources.list(base)) sources.push(each);
  if (sources.length === 0) {
    throw new CommandError('The base has no source.', {
      exitCode: EXIT.conflict,
      where: base,
      remedy: `Add one with \`aas kb sources add ${base} <connector>\`.`,
    });
  }
  const syncs: Sync[] = [];
  const reading = sources.filter(({ connector }) => connector !== 'upload');
  for (const { id } of reading.length > 0 ? reading : sources) syncs.push(await aas.sources.sync(base, id));
  return syncs;
}

/** Prints the syncs. With `wait`, first waits until they have ended. */
export async function printSyncs(
  aas: AgentAutomation,
  cli: Cli,
  base: string,
  begun: readonly Sync[],
  { wait = false, timeout }: { wait?: boolean; timeout?: Duration },
): Promise<ExitCode> {
  const syncs = wait ? await untilEnded(aas, cli, base, begun, new Deadline(timeout)) : begun;
  await cli.output.list(syncs, {
    columns: [
      ['ID', (sync) => sync.id],
      ['STATUS', (sync) => sync.status],
      ['ADDED', (sync) => sync.progress.added],
      ['UPDATED', (sync) => sync.progress.updated],
      ['DELETED', (sync) => sync.progress.deleted],
      ['FAILED', (sync) => sync.progress.failed],
      ['ERROR', (sync) => sync.error?.code],
    ],
    nameOf: (sync) => sync.id,
  });
  if (!wait) return EXIT.done;
  if (syncs.some((sync) => sync.ended_at === null)) {
    cli.output.report(`The syncs of ${base} continue. List them with \`aas kb sources list ${base}\`.`);
    return EXIT.timedOut;
  }
  return syncs.every(({ status }) => SUCCESSFUL.has(status)) ? EXIT.done : EXIT.unsuccessful;
}

async function untilEnded(
  aas: AgentAutomation,
  cli: Cli,
  base: string,
  begun: readonly Sync[],
  deadline: Deadline,
): Promise<Sync[]> {
  cli.interruptionNote = `The syncs continue: ${begun.map(({ id }) => id).join(', ')}.`;
  const bar = new ProgressBar(cli, `Syncing ${base}`);
  let syncs = [...begun];
  try {
    while (syncs.some((sync) => sync.ended_at === null) && !deadline.isOver) {
      bar.show(
        sum(syncs, ({ seen }) => seen),
        sum(syncs, ({ total }) => total ?? 0),
      );
      await pause(deadline.pauseWithin(PAUSE_MILLIS));
      syncs = await Promise.all(
        syncs.map(async (sync) => (sync.ended_at === null ? aas.syncs.getInBase(base, sync.id) : sync)),
      );
    }
  } finally {
    bar.clear();
  }
  return syncs;
}

function sum(syncs: readonly Sync[], part: (progress: Sync['progress']) => number): number {
  return syncs.reduce((total, { progress }) => total + part(progress), 0);
}
