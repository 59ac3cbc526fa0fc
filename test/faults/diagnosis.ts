import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Pool } from 'pg';

import type { Program } from '../support/program.js';
import { groupedBy } from './grouped-by.js';
import { findViolations } from './invariants.js';

/** Maximum number of runs whose timelines the report contains. */
const RUNS = 10;
const LOG_LINES = 15;
const LINE_LENGTH = 500;

/**
 * Returns a text report about a failed scenario. It contains the violated invariants, the timelines of the affected
 * runs, and logs.
 */
export async function diagnosis(database: Pick<Pool, 'query'>, programs: readonly Program[]): Promise<string> {
  const parts = await Promise.all([
    violations(database).catch((error: unknown) => `The invariants cannot be checked: ${String(error)}`),
    timelines(database).catch((error: unknown) => `The runs cannot be read: ${String(error)}`),
  ]);
  const logs = programs.map((program) => `--- ${program.name} (${program.exit ?? 'runs'})\n${lastLines(program)}`);
  return [...parts, ...logs, `The whole logs: ${await keptLogs(programs)}`].join('\n\n');
}

/** Writes the logs to files, and returns their folder. */
async function keptLogs(programs: readonly Program[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fault-logs-'));
  await Promise.all(
    programs.map((program, index) =>
      writeFile(join(folder, `${index} ${program.name}.log`.replaceAll(' ', '-')), program.log()),
    ),
  );
  return folder;
}

/**
 * Returns the last lines of the log of a program. Omits startup lines of the framework and lines about starts of runs.
 */
function lastLines(program: Program): string {
  const lines = program.log().trimEnd().split('\n');
  return lines
    .filter((line) => !line.includes('"context":"') && !line.includes('"status":202'))
    .map((line) => line.slice(0, LINE_LENGTH))
    .slice(-LOG_LINES)
    .join('\n');
}

async function violations(database: Pick<Pool, 'query'>): Promise<string> {
  const found = await findViolations(database);
  return found.length === 0
    ? 'No invariant is broken.'
    : found
        .map(({ invariant, statement, examples }) => `BROKEN ${invariant}: ${statement} ${examples.join(', ')}`)
        .join('\n');
}

interface Moment {
  run: string;
  line: string;
}

async function timelines(database: Pick<Pool, 'query'>): Promise<string> {
  const { rows } = await database.query<Moment>(
    `with shown as (
       select r.* from runs r
        order by (r.status in ('queued', 'running')) desc, r.recoveries desc, r.attempt desc, r.id desc limit $1)
     select * from (
       select t.id as run, t.created_at as at, 1 as n, format('%s  %s, attempt %s, recoveries %s, worker %s, wake_at %s, error %s',
           to_char(t.created_at, 'HH24:MI:SS.MS'), t.status, t.attempt, t.recoveries, t.worker_id, t.wake_at, t.error) as line from shown t
       union all
       select s.run_id, s.started_at, s.n, format('%s  %s %s try %s %s, attempt %s, ended %s',
           to_char(s.started_at, 'HH24:MI:SS.MS'), s.n, s.path, s.try, s.state, s.attempt, to_char(s.ended_at, 'HH24:MI:SS.MS'))
         from shown t join run_steps s on s.run_id = t.id
       union all
       select a.run_id, a.opened_at, a.n, format('%s  approval of %s: %s %s', to_char(a.opened_at, 'HH24:MI:SS.MS'), a.n, a.kind, a.status)
         from shown t join approvals a on a.run_id = t.id) moments
     order by run, at, n`,
    [RUNS],
  );
  const byRun = groupedBy(rows, ({ run }) => run);
  return [...byRun].map(([run, moments]) => [run, ...moments.map(({ line }) => `  ${line}`)].join('\n')).join('\n');
}
