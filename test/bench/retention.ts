import { setTimeout as pause } from 'node:timers/promises';

import { createDataSource, Statements } from '@app/platform/database';
import { createLogger, Metrics } from '@app/platform/observability';
import { RunRetentionService } from '@app/runs';
import type { Pool } from 'pg';

import { ManualClock } from '../../libs/kernel/src/testing/manual-clock.js';
import { RetentionRepository } from '../../libs/runs/src/retention/retention.repository.js';
import type { Bench, CeilingScenario } from './bench.js';
import { summary } from './figures.js';
import { LoadedService } from './loaded-service.js';

/** All rounds together execute about one run for every two seconds of a day. */
const ROUNDS = 8;
const RUNS = 5_000;
const DAY_MILLIS = 86_400_000;
const DAYS = { traceRetentionDays: 1, runRetentionDays: 2, auditRetentionDays: 0 };

const AGE = `update runs set ended_at = ended_at - interval '1 day'`;
const LEFT = `select (select count(*) from runs)::integer as runs, (select count(*) from run_steps)::integer as steps,
  (select count(*) from events)::integer as events`;

const REPORTED_AFTER_MS = 11_000;
const LOOK_EVERY_MS = 1_000;
/** Selects a table that autovacuum has to vacuum. */
const NEEDS_VACUUM = `select from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where s.n_dead_tup > current_setting('autovacuum_vacuum_threshold')::float
    + current_setting('autovacuum_vacuum_scale_factor')::float * greatest(c.reltuples, 0) limit 1`;
/** Selects the total size of the tables that each run writes. $1: number of runs in a round. */
const SIZES = `select sum(pg_table_size(relid))::float / 1048576 as tables, sum(pg_indexes_size(relid))::float / 1048576 as indexes,
  sum(n_dead_tup)::float as dead from pg_stat_user_tables where n_tup_ins >= $1`;

type Sizes = Record<'tables' | 'indexes' | 'dead', number>;
type Round = Sizes & { finished: number };

/**
 * Measures whether the database grows, and the service becomes slower, while retention deletes as many runs as the
 * service executes. Each round is a simulated day: the service executes runs, all runs become one day older, and
 * retention deletes the traces of this round and the runs of the round before. The round ends when autovacuum has
 * processed the deleted rows.
 */
export const retention: CeilingScenario = {
  name: 'retention',
  onlyByName: true,
  async run(bench): Promise<void> {
    const service = await LoadedService.start(bench, 'retention');
    const dataSource = createDataSource({ url: service.stack.databaseUrl, poolSize: 1, applicationName: 'bench' });
    try {
      await dataSource.initialize();
      const purging = retentionOf(new Statements(dataSource));
      const runs = RUNS / bench.divisor;
      // In the first round there are no runs of an earlier round. Therefore it is not measured.
      const rounds: Round[] = [];
      for (let round = 0; round <= Math.ceil(ROUNDS / bench.divisor); round++) {
        const { finished } = await service.load(runs);
        await service.database.query(AGE);
        await purgeAll(purging);
        await checkLeft(service.database, runs);
        await untilVacuumed(service.database);
        const { rows } = await service.database.query<Sizes>(SIZES, [runs]);
        const measured = { finished, ...rows[0]! };
        bench.say(`round ${round}: ${JSON.stringify(measured)}`);
        if (round > 0) rounds.push(measured);
      }
      report(bench, rounds);
    } finally {
      await dataSource.destroy();
      await service.stop();
    }
  },
};

function retentionOf(statements: Statements): RunRetentionService {
  // The ids of all runs lie in the range that retention examines. Only the time of their end decides.
  const clock = new ManualClock(new Date(Date.now() + (DAYS.runRetentionDays + 1) * DAY_MILLIS));
  const logger = createLogger({ level: 'warn', format: 'json', name: 'bench' });
  const keys = { idempotencyMillis: DAY_MILLIS };
  return new RunRetentionService(new RetentionRepository(statements), clock, DAYS, keys, logger, new Metrics());
}

/** Does what a worker does within some hours. */
async function purgeAll(service: RunRetentionService): Promise<void> {
  for (const kind of ['purgeTraces', 'purgeRuns', 'purgeEvents'] as const)
    for (let after: string | null = ''; after !== null;) after = (await service[kind](after)).last;
}

async function checkLeft(database: Pool, runs: number): Promise<void> {
  const { rows } = await database.query<{ runs: number; steps: number; events: number }>(LEFT);
  const left = rows[0]!;
  if (left.runs !== runs || left.steps !== 0 || left.events !== runs)
    throw new Error(`Retention must leave ${runs} runs and events, and no steps. It left ${JSON.stringify(left)}.`);
}

async function untilVacuumed(database: Pool): Promise<void> {
  await pause(REPORTED_AFTER_MS);
  while ((await database.query(NEEDS_VACUUM)).rowCount !== 0) await pause(LOOK_EVERY_MS);
}

function report({ figures }: Bench, rounds: readonly Round[]): void {
  const add = (name: string, unit: string, value: number): void =>
    figures.add('retention', 'postgres', name, unit, value);
  const [first, last] = [rounds[0]!, rounds.at(-1)!];
  for (const [name, unit] of [
    ['tables', 'MiB'],
    ['indexes', 'MiB'],
    ['dead', 'rows'],
  ] as const) {
    add(`${name}, first round`, unit, first[name]);
    add(`${name}, last round`, unit, last[name]);
    if (name !== 'dead') add(`${name}, last : first`, '×', last[name] / first[name]);
  }
  const rates = rounds.map(({ finished }) => finished);
  for (const rate of rates) add('finished', 'runs/s', rate);
  // Single rounds differ by more than the limit of ten per cent.
  const third = Math.ceil(rates.length / 3);
  add('finished, last : first', '×', summary(rates.slice(-third)).median / summary(rates.slice(0, third)).median);
}
