import type { MigrationInterface, QueryRunner } from 'typeorm';
import { LIB_SCHEMAS } from '../../libs/installation/src/migrate-schema.js';
import { migrationNames } from '../../libs/platform/src/database/lib-schema.js';
import { brokenRules, RULES } from './migration-rules.js';

/** The migrations after the baselines. The rules do not apply to baselines, because these only create tables. */
const LATER = LIB_SCHEMAS.flatMap(({ migrations = [] }) => migrations);
/**
 * Name of the migration that may drop columns. No release has used these columns, so no process of a previous release
 * needs them.
 */
const BEFORE_FIRST_RELEASE = 'SnapshotsOnly1795486200000';
type MigrationClass = (typeof LATER)[number];

/** Planted statements. Each is listed with the rule that it breaks. */
const PLANTED: [string, string][] = [
  ['alter table runs drop column labels', 'drops a column or a table'],
  ['ALTER TABLE runs\n  ADD note text,\n  DROP labels', 'drops a column or a table'],
  ['drop table approvals', 'drops a column or a table'],
  ['alter table runs rename column labels to tags', 'renames'],
  ['alter table runs rename to executions', 'renames'],
  ['alter table runs alter column version type bigint', 'changes the type of a column'],
  ['alter table runs alter initiator set not null', 'makes a column not null'],
  ['alter table runs add region text not null', 'adds a column that old processes do not fill'],
  [
    'alter table runs add seen timestamptz default clock_timestamp()',
    'adds a column with a default that is computed for every row',
  ],
  ['alter table runs add constraint runs_x_ck check (version > 0)', 'adds a constraint that reads the whole table'],
  [
    'alter table run_steps add foreign key (run_id) references runs (id)',
    'adds a constraint that reads the whole table',
  ],
  ['create index runs_x_ix on runs (version)', 'builds an index that blocks writes'],
  ['create unique index runs_x_uq on runs (version)', 'builds an index that blocks writes'],
  [
    'alter table runs add constraint runs_x_uq unique (version)',
    'adds a unique or primary key by building its index under a lock',
  ],
  ['drop index runs_list_ix', 'drops an index under a lock'],
  [`update runs set labels = '{}'`, 'rewrites rows in one go'],
  ['drop function if exists run_machine.claim(text, text, uuid)', 'drops a function that old processes call'],
];

/** Returns the statements of a migration, in order. */
async function statementsOf(Migration: MigrationClass): Promise<string[]> {
  const statements: string[] = [];
  const recorder: Pick<QueryRunner, 'query'> = {
    query: <T>(statement: string) => Promise.resolve(statements.push(statement) as T),
  };
  await new Migration().up(recorder as QueryRunner);
  return statements;
}

async function isConcurrentInTransaction(Migration: MigrationClass): Promise<boolean> {
  const isConcurrent = (await statementsOf(Migration)).some((statement) => /\bconcurrently\b/i.test(statement));
  return isConcurrent && new Migration().transaction !== false;
}

describe('migrations', () => {
  it('let processes of the previous release continue', async () => {
    const later = LATER.filter(({ name }) => name !== BEFORE_FIRST_RELEASE);
    const broken = await Promise.all(later.map(async (each) => [each.name, brokenRules(await statementsOf(each))]));
    expect(broken).toEqual(later.map(({ name }) => [name, []]));
  });

  it('build or drop indexes concurrently only outside of a transaction', async () => {
    expect(await Promise.all(LATER.map(isConcurrentInTransaction))).toEqual(LATER.map(() => false));
    class Planted implements MigrationInterface {
      transaction?: boolean = true;
      async up(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.query('create index concurrently runs_x_ix on runs (version)');
      }
      async down(): Promise<void> {}
    }
    class PlantedOutside extends Planted {
      override readonly transaction = false;
    }
    expect([await isConcurrentInTransaction(Planted), await isConcurrentInTransaction(PlantedOutside)]).toEqual([
      true,
      false,
    ]);
  });

  it('have names that end with a timestamp, which orders each lib after those that its tables refer to', () => {
    const timestamps = LIB_SCHEMAS.flatMap(({ baseline }) => baseline ?? []).map(({ name }) => Number(name.slice(-13)));
    expect(timestamps).toEqual([...timestamps].sort((a, b) => a - b));
    const names = migrationNames(LIB_SCHEMAS);
    expect(names.filter((name) => !/\d{13}$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(PLANTED)('must not say: %s', (statement, rule) => {
    expect(brokenRules([statement]).map((broken) => broken.rule)).toContain(rule);
  });

  it('have a planted violation for each rule', () => {
    expect(RULES.map(({ name }) => name).filter((name) => !PLANTED.some(([, rule]) => rule === name))).toEqual([]);
  });

  it.each([
    ['alter table runs add note text'],
    [`alter table runs add state text not null default 'new'`],
    ['alter table runs add constraint runs_x_ck check (version > 0) not valid'],
    ['alter table runs validate constraint runs_x_ck'],
    ['alter table runs drop constraint runs_x_ck'],
    ['alter table runs alter note drop not null'],
    ['create index concurrently runs_x_ix on runs (version)'],
    ['drop index concurrently runs_x_ix'],
    ['alter table runs add constraint runs_x_uq unique using index runs_x_uq'],
  ])('may say: %s', (statement) => {
    expect(brokenRules([statement])).toEqual([]);
  });

  it('may put a new table, with its indexes, into the place of one that they rename', () => {
    const exchange = [
      'alter index notes_ix rename to old_notes_ix',
      'alter table notes rename constraint notes_pk to old_notes_pk',
      'alter table notes rename to old_notes',
      'create table notes (id text not null)',
      'create index notes_ix on notes (id)',
    ];
    expect(brokenRules(exchange)).toEqual([]);
    expect(brokenRules(exchange.slice(0, 3)).map((broken) => broken.rule)).toEqual(Array(3).fill('renames'));
    const column = 'alter table notes rename column id to name';
    expect(brokenRules([...exchange, column]).map((broken) => broken.statement)).toEqual([column]);
  });

  it('may do what they like to tables that they have just made', () => {
    const statements = [
      'create table notes (id text not null)',
      'create index notes_ix on notes (id)',
      'update notes set id = 1',
    ];
    expect(brokenRules(statements)).toEqual([]);
  });
});
