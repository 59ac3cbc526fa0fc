import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtPrograms } from '../../../../test/support/built-program.js';
import {
  aCommit,
  aTree,
  endlessAnswer,
  fetched,
  FLUSH,
  gitAnswers,
  inflatingBlob,
  line,
  objectId,
  pack,
  packed,
  references,
} from '../../../../test/support/hostile/git-bytes.js';
import { mutated } from '../../../../test/support/hostile/conversation.js';
import { startCases } from '../../../../test/support/hostile/hostile-cases.js';
import { mutationSeeds } from '../../../../test/support/hostile/seeds.js';
import { HostGuard } from '@app/platform/egress';
import { IsolatedRepository } from './isolated-repository.js';

const BLOB = Buffer.from('# A page\n');
const BLOB_ID = objectId('blob', BLOB);
const TREE = aTree(['100644', 'a.md', BLOB_ID]);
const COMMIT = aCommit(objectId('tree', TREE));
const HEAD = objectId('commit', COMMIT);
const GOOD = [packed('commit', COMMIT), packed('tree', TREE), packed('blob', BLOB)];
const ESCAPE = `aas-escaped-${process.pid}`;

const serves = (advertised: Buffer, bytes: Buffer): RequestListener => gitAnswers(advertised, fetched(HEAD, bytes));
const sends = (objects: Buffer[], count?: number): RequestListener => serves(references(HEAD), pack(objects, count));
const delta = (base: number, result: number): Buffer => Buffer.from([base, result, 0x90, base]);

const CASES: Record<string, RequestListener> = {
  'a line that is longer than the answer': gitAnswers(Buffer.concat([line('# service=git-upload-pack\n'), line('x', 0xffff)]), FLUSH),
  'a line of length 1': gitAnswers(Buffer.from('0001'.repeat(100)), FLUSH),
  'a line whose length is no number': gitAnswers(Buffer.from('zzzz# service\n'), FLUSH),
  'HTML': gitAnswers(Buffer.from('<html>'), FLUSH),
  'references without an end': endlessAnswer(Buffer.concat(Array<Buffer>(100).fill(line(`${HEAD} refs/heads/x\n`)))),
  'a pack without an end': (request, response) =>
    request.method === 'GET' ? gitAnswers(references(HEAD), FLUSH)(request, response) : endlessAnswer(line(Buffer.alloc(60_000, 1)))(request, response),
  'no answer': () => undefined,
  'a pack that is none': serves(references(HEAD), Buffer.from('no pack at all')),
  'a pack that is cut off': serves(references(HEAD), pack(GOOD).subarray(0, 60)),
  'more objects than it has': sends(GOOD, 0xffff_ffff),
  'an object that inflates to 400 MB': sends([...GOOD.slice(0, 2), inflatingBlob(BLOB.length, 400)]),
  'an object that claims 1 TB': sends([packed('commit', COMMIT), packed('tree', TREE), packed('blob', BLOB, { size: 2 ** 40 })]),
  'a delta whose base is itself': sends([...GOOD.slice(0, 2), packed('ofsDelta', delta(9, 9), { before: Buffer.from([0]) })]),
  'a delta whose base lies before the pack': sends([...GOOD.slice(0, 2), packed('ofsDelta', delta(9, 9), { before: Buffer.from([0xff, 0xff, 0x7f]) })]),
  'a delta whose base is not there': sends([...GOOD.slice(0, 2), packed('refDelta', delta(9, 9), { before: Buffer.alloc(20, 7) })]),
  'a commit without a tree': sends([packed('commit', COMMIT)]),
}; // prettier-ignore

const SEEDS = mutationSeeds(40);
/** Returns a request handler whose responses are correct except for mutations in the protocol lines and in the pack. */
const mutatedServer = (seed: number): RequestListener => {
  const turns = [references(HEAD), fetched(HEAD, pack(GOOD))].map((bytes) => ({ after: 0, bytes }));
  const [advertised, answer] = mutated([turns], seed)[0] ?? [];
  return gitAnswers(advertised?.bytes ?? FLUSH, answer?.bytes ?? FLUSH);
};

describe('a hostile git server', () => {
  let outcomes: Map<string, Promise<unknown>>;
  const servers: Server[] = [];

  const read = async (listener: RequestListener, millis = 3_000): Promise<string[]> => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const place = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/repository` };
    const repository = await IsolatedRepository.fetch(
      place,
      new HostGuard(['127.0.0.1/32']),
      new AbortController().signal,
      {
        ...builtPrograms('libs/connectors/src/git/git-process'),
        fetchMillis: millis,
        readMillis: 2 * millis,
        blockedMillis: 2 * millis,
        maxPackBytes: 8 * 1024 * 1024,
        mostFiles: 100,
        heapMegabytes: 96,
        memoryMegabytes: 320,
      },
    );
    try {
      const contents: string[] = [];
      for await (const { oid } of repository.files()) contents.push(Buffer.from(await repository.read(oid)).toString());
      return contents;
    } finally {
      await repository.close();
    }
  };

  beforeAll(() => {
    const seeded = SEEDS.map((seed) => [`seed ${seed}`, mutatedServer(seed)] as const);
    const started = [...Object.entries(CASES), ...seeded].map(([name, listener]) => {
      const outcome = (): Promise<unknown> => read(listener).catch((error: unknown) => error);
      return [name, outcome] as const;
    });
    outcomes = startCases<unknown>(Object.fromEntries(started));
  });
  afterAll(() => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });

  it.each(Object.keys(CASES))('that sends %s makes the reading fail', async (name) => {
    const outcome = await outcomes.get(name);
    expect(['GitReadError', 'EgressError']).toContain((outcome as Error).name);
    expect((outcome as Error).message.length).toBeLessThan(1_500);
  });

  it.each(SEEDS)('whose answers are mutated makes the reading fail or returns files: seed %i', async (seed) => {
    const outcome = await outcomes.get(`seed ${seed}`);
    if (Array.isArray(outcome)) return;
    expect(['GitReadError', 'EgressError']).toContain((outcome as Error).name);
    expect((outcome as Error).message.length).toBeLessThan(1_500);
  });

  it('(a server that is not hostile returns its files)', async () => {
    expect(await read(sends(GOOD), 60_000)).toEqual([BLOB.toString()]);
  });

  it('that has 20,000 references returns its files', async () => {
    const more = Array.from({ length: 20_000 }, (_, n) => line(`${HEAD} refs/heads/branch-${n}\n`));
    expect(await read(serves(references(HEAD, ...more), pack(GOOD)), 60_000)).toEqual([BLOB.toString()]);
  });

  it('cannot write outside of the folder of its repository', async () => {
    const symref = line(`${HEAD} HEAD\0side-band-64k shallow symref=HEAD:refs/heads/../../../../${ESCAPE}\n`);
    const named = line(`${HEAD} refs/heads/../../../../${ESCAPE}\n`);
    const advertised = Buffer.concat([line('# service=git-upload-pack\n'), FLUSH, symref, named, FLUSH]);
    await read(serves(advertised, pack(GOOD)), 60_000).catch(() => undefined);
    expect(existsSync(join(tmpdir(), ESCAPE))).toBe(false);
  });
});
