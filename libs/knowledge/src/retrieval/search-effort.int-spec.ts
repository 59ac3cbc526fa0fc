import { type Statement, Statements } from '@app/platform/database';
import type { QueryResultRow } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { aDocument, KnowledgeScene } from '../testing/knowledge-scene.js';
import { KeywordSearch } from './keyword-search.js';
import { PassageSearchRepository } from './passage-search.repository.js';
import { readQuestion } from './search-plan.js';
import { MAX_CANDIDATES } from './search-plan.js';

interface PlanNode {
  'Relation Name'?: string;
  'Actual Loops': number;
  'Actual Rows': number;
  Plans?: PlanNode[];
}

const PASSAGES = 3 * MAX_CANDIDATES;
const FURTHER_SOURCES = 20;

describe('the work of a search', () => {
  let database: TestDatabase;
  let scene: KnowledgeScene;
  let base: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    scene = await KnowledgeScene.open(database.url);
    base = await scene.aBase();
    for (let n = 0; n < FURTHER_SOURCES; n += 1) await scene.aSource(base);
    const texts = Array.from({ length: PASSAGES }, (_, n) => aDocument(`doc-${n}`, `A refund, number n${n}.`));
    const scope = await scene.aSource(base);
    for (let n = 0; n < PASSAGES; n += 500) await scene.index.putMany(scope, texts.slice(n, n + 500));
    await scene.query('vacuum analyze knowledge_chunks, knowledge_documents');
  });

  afterAll(async () => {
    await scene.close();
    await database.drop();
  });

  it('reads passages of a common word once and stops when it has enough candidates', async () => {
    const plan = await ranking('refunds');
    const read = (relation: string): number[] =>
      nodes(plan)
        .filter((node) => node['Relation Name'] === relation)
        .map((node) => node['Actual Loops'] * node['Actual Rows']);
    expect(Math.max(...read('knowledge_chunks'))).toBe(MAX_CANDIDATES);
    expect(Math.max(...read('knowledge_documents'))).toBe(MAX_CANDIDATES);
  });

  /** Returns the execution plan of the statement that ranks passages for the question. */
  async function ranking(query: string): Promise<PlanNode> {
    const asked = new RecordedStatements(scene.dataSource);
    const passages = new PassageSearchRepository(asked);
    const question = readQuestion(query);
    const prepared = await passages.prepareSearch(scene.workspaceId, base, null, question);
    await new KeywordSearch(passages).findPassages(scene.workspaceId, prepared!, question.words, 10, null);
    const [text, values] = asked.recorded.find(([each]) => each.includes('ts_rank')) ?? ['', []];
    const [row] = await scene.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${text}`,
      values,
    );
    return row!['QUERY PLAN'][0].Plan;
  }
});

class RecordedStatements extends Statements {
  readonly recorded: [string, unknown[]][] = [];

  override query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    this.recorded.push([statement.text, [...values]]);
    return super.query<Row>(statement, values);
  }
}

function nodes(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodes)];
}
