import type { QueryRunner } from 'typeorm';
import { MIGRATIONS } from '../../libs/platform/src/database/migrations/index.js';
import { brokenRules, RULES } from './migration-rules.js';

/** Those that were there before there were rules: no release that anybody runs is older than they are. */
const BASELINE = new Set([
  'Foundation1763700000000',
  'Approvals1763800000000',
  'EmergencyStop1763810000000',
  'Secrets1763900000000',
  'LeanJournal1764000000100',
  'StopDrain1764000000200',
  'ModelCosts1764100000100',
  'DescribedTools1764200000100',
  'ChildRuns1764200000200',
  'Usage1764300000000',
  'Evaluations1764400000000',
  'Triggers1764500000000',
  'Webhooks1764600000000',
  'MailboxWatches1764700000000',
  'KnowledgeBases1764800000000',
  'KnowledgeSources1764900000000',
  'PageLinks1764900000100',
  'KnowledgeDocuments1765000000000',
  'ListsOfRuns1765300000100',
  'CallerBudgets1765200000000',
  'Judgements1765200000100',
  'Embeddings1766000000000',
  'SourceAuthorizations1766100000000',
]);

/** Statements, and the rule that each of them breaks. */
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
  ['create index runs_x_ix on runs (version)', 'builds an index while nobody may write'],
  ['create unique index runs_x_uq on runs (version)', 'builds an index while nobody may write'],
  [
    'alter table runs add constraint runs_x_uq unique (version)',
    'adds a unique or primary key by building its index under a lock',
  ],
  ['drop index runs_list_ix', 'drops an index under a lock'],
  [`update runs set labels = '{}'`, 'rewrites rows in one go'],
  ['drop function if exists run_machine.claim(text, text, uuid)', 'drops a function that old processes call'],
];

/** What a migration would do, in order. */
async function statementsOf(Migration: (typeof MIGRATIONS)[number]): Promise<string[]> {
  const statements: string[] = [];
  const recorder: Pick<QueryRunner, 'query'> = {
    query: <T>(statement: string) => Promise.resolve(statements.push(statement) as T),
  };
  await new Migration().up(recorder as QueryRunner);
  return statements;
}

describe('migrations', () => {
  const fresh = MIGRATIONS.filter(({ name }) => !BASELINE.has(name));

  it.each(fresh.map((Migration) => [Migration.name, Migration] as const))(
    '%s lets processes of the release before go on working',
    async (_name, Migration) => {
      expect(brokenRules(await statementsOf(Migration))).toEqual([]);
    },
  );

  it('build or drop indexes concurrently only outside of a transaction', async () => {
    for (const Migration of fresh) {
      const concurrent = (await statementsOf(Migration)).some((statement) => /\bconcurrently\b/i.test(statement));
      const { transaction } = new Migration() as { transaction?: boolean };
      if (concurrent) expect([Migration.name, transaction]).toEqual([Migration.name, false]);
    }
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
