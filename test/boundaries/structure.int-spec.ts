import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clear, type Files, jsonFrom, plant, REPOSITORY } from './plantation.js';

interface Structure {
  folderCycles: string[][];
  foreignSql: string[];
  largeModules: Record<string, number>;
  quadraticSql: string[];
  sharedNames: Record<string, string[]>;
}

/** Known violations of the rules. The list may only become shorter. */
interface Known {
  foldersInCycles: string[];
  foreignSql: string[];
  largeModules: Record<string, number>;
  sharedNames: string[];
}

const MEASURE = join(REPOSITORY, 'test/structure/measure.mjs');

const list = (count: number, item: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => item(n)).join(', ');

/** A repository that breaks each rule once. It also contains similar code that breaks no rule. */
const PLANTED: Files = {
  // A cycle between a folder and its subfolder, without a cycle of files.
  'libs/runs/src/interpreter/plan.ts': "import { step } from './steps/step.js';\nexport const plan = step;",
  'libs/runs/src/interpreter/scope.ts': 'export const scope = 1;',
  'libs/runs/src/interpreter/steps/step.ts': "import { scope } from '../scope.js';\nexport const step = scope;",
  // A cycle of two sibling folders, without a cycle of files.
  'libs/knowledge/src/bases/base.ts': "import { sync } from '../syncs/sync.js';\nexport const base = sync;",
  'libs/knowledge/src/bases/region.ts': 'export const region = 1;',
  'libs/knowledge/src/syncs/sync.ts': 'export const sync = 1;',
  'libs/knowledge/src/syncs/place.ts': "import { region } from '../bases/region.js';\nexport const place = region;",
  // Not a cycle, because index, registry and module files do not count.
  'libs/agents/src/index.ts': "export { rules } from './rules/rules.js';",
  'libs/agents/src/registry.ts': "import { rules } from './rules/rules.js';\nexport const all = [rules];",
  'libs/agents/src/agents.module.ts': "import { rules } from './rules/rules.js';\nexport class AgentsModule { rules = rules; }",
  'libs/agents/src/kinds.ts': 'export const kinds = 1;',
  'libs/agents/src/rules/rules.ts': "import { kinds } from '../kinds.js';\nexport const rules = kinds;",

  'libs/runs/src/sql/own.sql': `create or replace function run_machine.own() returns void language sql as $$
    -- update agents set name = ''
    insert into runs select from agents join workspaces w on true;
  $$;`,
  'libs/runs/src/sql/foreign.sql': 'create function agents.foreign_write() returns void language sql as $$ update agents set name = null $$;',
  'libs/agents/src/agent.repository.ts':
    'export const up = `select count(*) from runs`;\nexport const call = "select run_machine.own()";\nexport const words = "update the runs of the agents";',
  'libs/knowledge/src/migrations/1768000000000-knowledge-baseline.sql': `create table knowledge_bases (id text);
    alter table knowledge_source_tokens add constraint tokens_fk foreign key (id) references knowledge_bases (id);
    alter table knowledge_source_tokens drop column tokens;
    create table runs (id text);`,
  'libs/runs/src/sql/quadratic.sql': `create function run_machine.quadratic() returns jsonb language sql as $$
    -- jsonb_agg(x) in a comment, and json_agg(x), break no rule.
    select jsonb_build_array(JSONB_AGG (x), json_agg(x), jsonb_object_agg_strict('a', x), jsonb_path_query_array(x, '$')) from runs r(x)
  $$;`,
  'libs/runs/src/quadratic.repository.ts': 'export const each = "select * from jsonb_path_query(x, $1)";',
  'libs/events/src/outbox.repository.ts': "export const write = (id: string) => `delete from workspaces where id = '${id}'`;",

  // The first two files share a name, which breaks a rule. Files of tool and trigger kinds may share a name.
  'libs/events/src/retention.ts': 'export const retention = 1;',
  'test/support/retention.ts': 'export const retention = 1;',
  'libs/definition/src/tools/email.ts': 'export const email = 1;',
  'libs/definition/src/triggers/email.ts': 'export const email = 1;',
  'libs/events/src/index.ts': 'export const events = 1;',

  'libs/runs/src/large.module.ts': `const MORE = [${list(9, String)}];\nexport const module = { providers: [...MORE, ${list(7, String)}] };`,
  'libs/runs/src/full.module.ts': `export const module = { providers: [${list(15, String)}] };`,
}; // prettier-ignore

describe('the structure', () => {
  let real: Structure;
  let planted: Structure;
  let known: Known;
  let plantation: string;

  beforeAll(async () => {
    plantation = await plant(PLANTED);
    [real, planted] = [await jsonFrom<Structure>(REPOSITORY, MEASURE), await jsonFrom<Structure>(plantation, MEASURE)];
    const text = await readFile(join(REPOSITORY, 'test/structure/known-violations.json'), 'utf8');
    known = JSON.parse(text) as Known;
  });

  afterAll(() => clear(plantation));

  it('finds cycles of folders, also between a folder and one inside it', () => {
    expect(planted.folderCycles).toEqual([
      ['libs/knowledge/src/bases', 'libs/knowledge/src/syncs'],
      ['libs/runs/src/interpreter', 'libs/runs/src/interpreter/steps'],
    ]);
  });

  it('finds SQL that writes a table of another lib, or reads one of a lib that may not be imported', () => {
    expect(planted.foreignSql).toEqual([
      'libs/agents/src/agent.repository.ts calls run_machine.own (runs)',
      'libs/agents/src/agent.repository.ts reads runs (runs)',
      'libs/events/src/outbox.repository.ts writes workspaces (workspace)',
      'libs/knowledge/src/migrations/1768000000000-knowledge-baseline.sql reads runs (runs)',
      'libs/knowledge/src/migrations/1768000000000-knowledge-baseline.sql writes knowledge_source_tokens (connections)',
      'libs/knowledge/src/migrations/1768000000000-knowledge-baseline.sql writes runs (runs)',
      'libs/runs/src/sql/foreign.sql defines agents.foreign_write (agents)',
      'libs/runs/src/sql/foreign.sql writes agents (agents)',
    ]);
  });

  it('finds modules with more than 15 providers', () => {
    expect(planted.largeModules).toEqual({ 'libs/runs/src/large.module.ts': 16 });
  });

  it('finds files that share a name, unless they are files of kinds', () => {
    expect(planted.sharedNames).toEqual({ retention: ['libs/events/src/retention.ts', 'test/support/retention.ts'] });
  });

  it('finds SQL functions whose cost is quadratic in the size of a value', () => {
    expect(planted.quadraticSql).toEqual([
      'libs/runs/src/quadratic.repository.ts calls jsonb_path_query',
      'libs/runs/src/sql/quadratic.sql calls jsonb_agg',
      'libs/runs/src/sql/quadratic.sql calls jsonb_object_agg',
      'libs/runs/src/sql/quadratic.sql calls jsonb_path_query',
    ]);
  });

  it('has no folder in a cycle that is not known', () => {
    expect(real.folderCycles.flat().sort()).toEqual(known.foldersInCycles);
  });

  it('has no SQL across libs that is not known', () => {
    expect(real.foreignSql).toEqual(known.foreignSql);
  });

  it('calls no SQL function whose cost is quadratic in the size of a value', () => {
    expect(real.quadraticSql).toEqual([]);
  });

  it('has no large module that is not known', () => {
    expect(real.largeModules).toEqual(known.largeModules);
  });

  it('has no shared file name that is not known', () => {
    expect(Object.keys(real.sharedNames)).toEqual(known.sharedNames);
  });
});
