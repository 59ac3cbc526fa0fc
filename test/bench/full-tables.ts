import { setTimeout as pause } from 'node:timers/promises';

import { lowestId } from '@app/kernel';

import type { Bench, CeilingScenario } from './bench.js';
import { compareLoads, type LoadedService } from './loaded-service.js';

const RUNS = 1_000_000;
const BATCH = 20_000;
/** Time between the creation of two copies, in milliseconds. A million copies are younger than any retention time. */
const SPACING = 1_000;
const LOOK_EVERY_MS = 250;

/**
 * The tables with rows of a finished run: the column with the id of the run, and the values in which the row `t` of
 * another run `n` differs.
 */
const COPIED_ROWS = {
  runs: { run: 'id', values: `'id', n.id, 'created_at', n.at, 'claimed_at', n.at, 'ended_at', n.at` },
  listed_runs: { run: 'id', values: `'id', n.id` },
  run_steps: { run: 'run_id', values: `'run_id', n.id, 'started_at', n.at, 'ended_at', n.at` },
  events: {
    run: 'run_id',
    values: `'id', 'evt_' || substr(n.id, 5), 'run_id', n.id, 'data', t.data || jsonb_build_object('run', n.id), 'created_at', n.at`,
  },
};
const COUNT = `insert into ended_runs (workspace_id, agent_id, status, mode, ended_at, active_ms, cost_micros, currency)
  select workspace_id, agent_id, status, mode, n.at, active_ms, cost_micros, currency
    from runs cross join unnest($2::timestamptz[]) as n(at) where id = $1`;

/** Compares the load with empty tables and with tables that contain a million finished runs. */
export const fullTables: CeilingScenario = {
  name: 'full-tables',
  onlyByName: true,
  async run(bench): Promise<void> {
    await compareLoads(bench, { scenario: 'full-tables', base: 'empty', name: 'full' }, (service) =>
      fill(bench, service, RUNS / bench.divisor ** 2),
    );
  },
};

async function fill({ say }: Bench, service: LoadedService, runs: number): Promise<void> {
  await service.load(1);
  const begun = performance.now();
  const client = await service.database.connect();
  try {
    // These settings make the inserts faster: triggers do not fire, foreign keys are not checked, and commits do not
    // wait for the disk.
    await client.query('set session_replication_role = replica; set synchronous_commit = off');
    const { rows } = await client.query<{ id: string }>('select id from runs');
    const start = Date.now() - (runs + 1) * SPACING;
    for (let from = 0; from < runs; from += BATCH) {
      const times = Array.from({ length: Math.min(BATCH, runs - from) }, (_, n) => start + (from + n) * SPACING);
      const [ids, dates] = [times.map((time) => lowestId('run', time)), times.map((time) => new Date(time))];
      for (const [table, { run, values }] of Object.entries(COPIED_ROWS))
        await client.query(
          `insert into ${table} select copy.* from unnest($2::text[], $3::timestamptz[]) as n(id, at)
             cross join ${table} t cross join jsonb_populate_record(t, jsonb_build_object(${values})) copy where t.${run} = $1`,
          [rows[0]!.id, ids, dates],
        );
      await client.query(COUNT, [rows[0]!.id, dates]);
    }
    while ((await client.query('select from ended_runs limit 1')).rowCount !== 0) await pause(LOOK_EVERY_MS);
    await client.query('vacuum analyze');
    // The load would otherwise share the disk with the checkpoint of the copied rows.
    await client.query('checkpoint; reset session_replication_role; reset synchronous_commit');
    const { rows: sizes } = await client.query<{ size: string }>(
      'select pg_size_pretty(pg_database_size(current_database())) as size',
    );
    say(`${runs} runs copied in ${((performance.now() - begun) / 1000).toFixed(1)} s, ${sizes[0]!.size}`);
  } finally {
    client.release();
  }
}
