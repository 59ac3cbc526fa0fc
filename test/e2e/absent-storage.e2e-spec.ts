import { AgentAutomation } from '../../packages/sdk/src/index.js';
import { eventually } from '../support/eventually.js';
import { S3Server } from '../support/s3-server.js';
import { type LoneScene, Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

describe('a step that needs a file while the storage does not answer', () => {
  let s3: S3Server;
  let scene: LoneScene;

  beforeAll(async () => {
    s3 = await S3Server.start();
    scene = await Scene.alone({
      why: 'needs a storage of its own, and counts the slots of the worker',
      workers: 1,
      env: { ...s3.env, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', WORKER_CONCURRENCY: '1' },
    });
  });
  afterAll(async () => {
    await scene.stop();
    await s3.close();
  });

  const runOf = (id: string) => scene.stack.client.run(id);
  const ends = (id: string) =>
    eventually(async () => expect(await runOf(id)).toMatchObject({ status: 'succeeded' }), { within: 120_000 });

  it('is tried again later, and its worker executes other runs meanwhile', async () => {
    const { client, adminKey, baseUrl } = scene.stack;
    const file = await new AgentAutomation({ apiKey: adminKey, baseUrl }).files.upload(new Blob(['Lease']));
    const store = { name: 'store', method: 'POST', path: '/files', body: 'binary', content: '${{ request.file }}' };
    const sender = await client.createAgent({
      name: 'sender',
      tools: [{ name: 'archive', type: 'http', base_url: scene.ledger.url, operations: [store] }],
      // The attempts that wait for the storage are no steps of the limit.
      limits: { max_steps: 1 },
      steps: [{ id: 'send', tool: 'archive.store', with: { file: '${{ input.file }}' } }],
    });
    const other = await client.createAgent(aToolAgent('other', scene.ledger.url, [['read', '/other']]));
    s3.isDown = true;
    const waiting = await client.startRun(sender, { file: { file: file.id } });
    await eventually(async () => expect(await runOf(waiting.id)).toMatchObject({ waiting: { for: 'retry' } }), {
      within: 120_000,
    });
    await ends((await client.startRun(other)).id);
    expect(scene.ledger.callsOf('/files')).toEqual([]);
    s3.isDown = false;
    await ends(waiting.id);
    // A write that must not be repeated: the attempts before it sent nothing.
    expect(scene.ledger.callsOf('/files')).toMatchObject([{ body: 'Lease' }]);
    const { steps } = await client.trace(waiting.id);
    const calls = steps.filter(({ type }) => type === 'tool_call');
    expect(calls[0]).toMatchObject({ status: 'failed', error: { code: 'tool_error' } });
    expect(calls.at(-1)).toMatchObject({ status: 'succeeded' });
    expect(steps.filter(({ type }) => type === 'retry')).toHaveLength(calls.length - 1);
  });
});
