import { type Statement, Statements } from '@app/platform/database';
import type { QueryResultRow } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { aDocument, KnowledgeScene } from '../testing/knowledge-scene.js';
import { KeywordSearchService } from './keyword-search.service.js';
import { PassageSearchRepository } from './passage-search.repository.js';
import { readQuestion } from './question.js';
import { MOST_CANDIDATES } from './search-plan.js';

interface PlanNode {
  'Relation Name'?: string;
  'Actual Loops': number;
  'Actual Rows': number;
  Plans?: PlanNode[];
}

const PASSAGES = 3 * MOST_CANDIDATES;
const FURTHER_SOURCES = 20;

describe('the effort of a search', () => {
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

  it('goes through the passages of a common word once, and only until there are candidates enough', async () => {
    const plan = await ranking('refunds');
    const read = (relation: string): number[] =>
      nodes(plan)
        .filter((node) => node['Relation Name'] === relation)
        .map((node) => node['Actual Loops'] * node['Actual Rows']);
    expect(Math.max(...read('knowledge_chunks'))).toBe(MOST_CANDIDATES);
    expect(Math.max(...read('knowledge_documents'))).toBe(MOST_CANDIDATES);
  });

  /** How Postgres carries out the statement that ranks passages for the question. */
  async function ranking(query: string): Promise<PlanNode> {
    const asked = new NotedStatements(scene.dataSource);
    const passages = new PassageSearchRepository(asked);
    const question = readQuestion(query);
    const prepared = await passages.prepareSearch(scene.workspaceId, base, null, question);
    await new KeywordSearchService(passages).findPassages(scene.workspaceId, prepared!, question.words, 10, null);
    const [text, values] = asked.noted.find(([each]) => each.includes('ts_rank')) ?? ['', []];
    const [row] = await scene.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${text}`,
      values,
    );
    return row!['QUERY PLAN'][0].Plan;
  }
});

/** Remembers what it was asked. */
class NotedStatements extends Statements {
  readonly noted: [string, unknown[]][] = [];

  override query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    this.noted.push([statement.text, [...values]]);
    return super.query<Row>(statement, values);
  }
}

function nodes(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodes)];
}
