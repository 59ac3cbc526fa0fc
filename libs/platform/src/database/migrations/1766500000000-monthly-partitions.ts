import { lowestId } from '@app/kernel';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The audit log and the trigger log in months. What has been written stays where it is and becomes the partition of everything
 * before the first month (`…_before`); what no month is made for goes to `…_later`, so that there is a place for every line.
 * Ids sort by time, and lists are in their order: so they are what is partitioned by, and the keys stay what they are.
 *
 * Outside of a transaction: a whole table is read to know that all of it lies before the first month, and nobody waits for that.
 */
export class MonthlyPartitions1766500000000 implements MigrationInterface {
  readonly name = 'MonthlyPartitions1766500000000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const log of LOGS) {
      // One that was given up half way is started again.
      if (!(await isPartitioned(queryRunner, log))) await divide(queryRunner, log);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const log of LOGS) await inTransaction(queryRunner, intoOneTable(log));
  }
}

interface Log {
  table: string;
  key: string;
  /** What follows the table's name in the name of an index, and what it is on. */
  indexes: Readonly<Record<string, string>>;
}

const LOGS: readonly Log[] = [
  {
    table: 'audit_events',
    key: 'id',
    indexes: {
      list_ix: '(workspace_id, id)',
      actor_ix: '(workspace_id, actor, id)',
      action_ix: '(workspace_id, action, id)',
    },
  },
  {
    table: 'trigger_events',
    key: 'agent_id, id',
    indexes: {
      trigger_ix: '(agent_id, trigger_id, id)',
      outcome_ix: '(agent_id, outcome, id)',
      failed_ix: `(agent_id, trigger_id, id) where outcome in ('refused', 'error')`,
    },
  },
];

/** From the check on, nothing of the first month can be written until the partitions are there: so it is this far away. */
const FIRST_MONTH_IN_MILLIS = 28 * 86_400_000;

/**
 * Where a line is dated behind the first month, by a clock that was wrong, the first month is a later one: of the next hundred
 * years. A line that is dated behind those has the check refuse the migration.
 */
const MONTHS_TO_TRY = 1_200;

async function divide(queryRunner: QueryRunner, log: Log): Promise<void> {
  const undone = `alter table ${log.table} drop constraint if exists ${log.table}_before_ck`;
  await queryRunner.query('set statement_timeout = 0');
  try {
    const first = firstMonth(await newestId(queryRunner, log));
    await queryRunner.query(undone);
    for (const statement of endingBefore(log, first)) await queryRunner.query(statement);
    await inTransaction(queryRunner, intoPartitions(log, first));
  } catch (error) {
    await queryRunner.query(undone);
    throw error;
  } finally {
    await queryRunner.query('reset statement_timeout');
  }
}

/** Reads the table without keeping anybody from it. */
function endingBefore({ table }: Log, first: string): string[] {
  return [
    `alter table ${table} add constraint ${table}_before_ck check (id < '${first}') not valid`,
    `alter table ${table} validate constraint ${table}_before_ck`,
  ];
}

/** With the check, `attach` knows without a look that no line belongs elsewhere: the locks last some milliseconds. */
function intoPartitions({ table, key, indexes }: Log, first: string): string[] {
  const [before, later] = [`${table}_before`, `${table}_later`];
  const names = Object.keys(indexes);
  return [
    `alter table ${table} rename constraint ${table}_pk to ${before}_pk`,
    ...names.map((name) => `alter index ${table}_${name} rename to ${before}_${name}`),
    `alter table ${table} rename to ${before}`,
    `create table ${table} (like ${before} including defaults including constraints) partition by range (id)`,
    `alter table ${table} drop constraint ${before}_ck`,
    `alter table ${table} add constraint ${table}_pk primary key (${key})`,
    ...names.map((name) => `create index ${table}_${name} on ${table} ${indexes[name] ?? ''}`),
    guardLike(before, table),
    `alter table ${table} attach partition ${before} for values from (minvalue) to ('${first}')`,
    `alter table ${before} drop constraint ${before}_ck`,
    `create table ${later} partition of ${table} for values from ('${first}') to (maxvalue)`,
    guardLike(before, later),
  ];
}

function intoOneTable({ table, indexes }: Log): string[] {
  const before = `${table}_before`;
  return [
    `alter table ${table} detach partition ${before}`,
    `insert into ${before} select * from ${table}`,
    `drop table ${table}`,
    `alter table ${before} rename to ${table}`,
    `alter table ${table} rename constraint ${before}_pk to ${table}_pk`,
    ...Object.keys(indexes).map((name) => `alter index ${before}_${name} rename to ${table}_${name}`),
  ];
}

/** Who may use a table, and which rows of it: as for another one. Old processes must not notice the exchange. */
const guardLike = (model: string, table: string): string => `do $guard$
  declare
    v record;
  begin
    for v in
      select case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as grantee, a.privilege_type
        from pg_class c cross join lateral aclexplode(c.relacl) a
       where c.oid = '${model}'::regclass and a.grantee <> c.relowner
    loop
      execute format('grant %s on ${table} to %s', v.privilege_type, v.grantee);
    end loop;
    for v in select * from pg_policies p where p.schemaname = 'public' and p.tablename = '${model}' loop
      execute format('create policy %I on ${table} as %s for %s to %s using (%s) with check (%s)', v.policyname, v.permissive,
        v.cmd, (select string_agg(quote_ident(r), ', ') from unnest(v.roles) r), v.qual, v.with_check);
    end loop;
    if (select c.relrowsecurity from pg_class c where c.oid = '${model}'::regclass) then
      alter table ${table} enable row level security;
    end if;
  end $guard$`;

async function inTransaction(queryRunner: QueryRunner, statements: readonly string[]): Promise<void> {
  await queryRunner.query('begin');
  try {
    for (const statement of statements) await queryRunner.query(statement);
    await queryRunner.query('commit');
  } catch (error) {
    await queryRunner.query('rollback');
    throw error;
  }
}

async function isPartitioned(queryRunner: QueryRunner, { table }: Log): Promise<boolean> {
  const text = `select relkind from pg_class where oid = $1::regclass`;
  const rows = (await queryRunner.query(text, [table])) as { relkind: string }[];
  return rows[0]?.relkind === 'p';
}

/** Of ids as the service makes them; empty where there is none. */
async function newestId(queryRunner: QueryRunner, { table }: Log): Promise<string> {
  const text = `select max(id) as newest from ${table} where id ~ '^evt_[0-7][0-9a-z]{25}$'`;
  const rows = (await queryRunner.query(text)) as { newest: string | null }[];
  return rows[0]?.newest ?? '';
}

/** What the ids of the first month begin with: it is far enough away and has nothing in it yet (in UTC). */
function firstMonth(newest: string): string {
  const soon = new Date(Date.now() + FIRST_MONTH_IN_MILLIS);
  const months = Array.from({ length: MONTHS_TO_TRY }, (_, n) =>
    lowestId('event', Date.UTC(soon.getUTCFullYear(), soon.getUTCMonth() + 1 + n)),
  );
  return months.find((first) => newest < first) ?? newest;
}
