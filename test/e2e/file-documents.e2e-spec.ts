import { newId } from '@app/kernel';
import { aPdf } from '../support/site-server.js';
import { eventually } from '../support/eventually.js';
import { SyncScene } from '../support/sync-scene.js';

describe('a document', () => {
  let scene: SyncScene;
  let base: string;

  beforeAll(async () => {
    scene = await SyncScene.start();
    base = await scene.aBase('files');
  });
  afterAll(() => scene.stop());

  const raw = (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, type?: string) =>
    fetch(`${scene.stack.baseUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, ...(type && { 'content-type': type }) },
      body,
    });

  it('is copied from a file of the workspace, which may be deleted', async () => {
    const source = await scene.aSource(base, { connector: 'upload' });
    const upload = async (bytes: Uint8Array<ArrayBuffer> | string, name: string): Promise<string> => {
      const answer = await raw('POST', `/files?filename=${name}`, bytes, 'application/octet-stream');
      return ((await answer.json()) as { id: string }).id;
    };
    const push = (file: string, more: object = {}) =>
      raw('POST', `${source}/documents`, JSON.stringify({ file, ...more }), 'application/json');
    const pdf = await upload(new Uint8Array(aPdf('Refunds (30 days)', 'Returns').body as Buffer), 'refunds.pdf');
    const read = await raw('GET', `/files/${pdf}/text?pages=2`);
    expect(await read.json()).toEqual({ text: 'Returns', pages: 2, truncated: false });
    for (const more of [{}, { name: 'b', title: 'B' }]) expect((await push(pdf, more)).status).toBe(202);
    expect((await raw('DELETE', `/files/${pdf}`)).status).toBe(204);
    await eventually(async () => expect(await scene.titles(source)).toEqual(['B', 'refunds.pdf']));
    expect(await scene.text(source, 'b')).toContain('Refunds (30 days)');
    for (const unusable of [pdf, newId('file')]) {
      const refused = await push(unusable);
      expect([refused.status, await refused.json()]).toEqual([
        422,
        expect.objectContaining({
          code: 'unknown_reference',
          errors: [expect.objectContaining({ pointer: '/file' })],
        }),
      ]);
    }
    expect((await push(await upload(new Uint8Array([0x89, 0x50, 0, 1]), 'a.txt'))).status).toBe(415);
    expect((await push(await upload('x'.repeat(50 * 1024 * 1024 + 1), 'a.txt'))).status).toBe(413);
  });
});
