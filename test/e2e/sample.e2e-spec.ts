import { runSample } from '../../apps/standalone/src/sample.js';
import { createWorkspaceDatabase, type TestDatabase } from '../support/postgres.js';
import { type Stack, startStack } from '../support/stack.js';

describe('the sample of a new installation', () => {
  let database: TestDatabase;
  let stack: Stack;

  beforeAll(async () => {
    const created = await createWorkspaceDatabase();
    database = created;
    // The tool of the sample calls the service itself.
    stack = await startStack({
      databaseUrl: created.url,
      workspace: created.workspace,
      env: { EGRESS_ALLOW: '127.0.0.1/32' },
    });
  });

  afterAll(async () => {
    await stack.stop();
    await database.drop();
  });

  it('is a knowledge base and an agent that reads it, run once', async () => {
    const sample = await runSample(stack.baseUrl, stack.adminKey);
    const run = await stack.client.run(sample.run);
    expect(run).toMatchObject({ status: 'succeeded', agent: sample.agent, error: null });
    expect(run.output).toEqual({ key: 'approvals', known: true, about: expect.stringContaining('approver') });
    expect(sample.text).toMatch(/retrieval +succeeded/);
    const { data } = await stack.client.expect<{ data: { name: string; document_count: number }[] }>(
      'GET',
      '/v1/knowledge-bases',
    );
    expect(data).toMatchObject([{ name: 'handbook', document_count: 3 }]);
  });
});
