import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { JsonObject } from '@app/kernel';
import { type CommandOutcome, failureIn } from '../support/command-line.js';
import { CommandScene, linesOf } from '../support/command-scene.js';

interface Run {
  id: string;
  mode: string;
  version: number;
  input: JsonObject;
}

interface Place {
  path: string;
  file: { id: string; filename: string; status: string };
}

const FILE_INPUT: JsonObject = {
  type: 'object',
  $defs: { scan: { title: 'Scan', file: {} } },
  allOf: [{ properties: { note: { type: 'string' } } }],
  properties: {
    invoice: { file: { accept: ['text/plain', 'application/octet-stream'] } },
    attachments: { type: 'array', items: { $ref: '#/$defs/scan' } },
    deep: {},
  },
};

const aReader = (input: JsonObject): JsonObject => ({ name: 'reader', input, steps: [{ id: 'done', output: {} }] });

describe('the commands for files', () => {
  let commands: CommandScene;

  beforeAll(async () => {
    commands = await CommandScene.start();
    const { client } = commands.scene.stack;
    const agent = await client.createAgent(aReader(FILE_INPUT));
    const textInput = { type: 'object', properties: { invoice: { type: 'string' } } };
    await client.expect('POST', `/v1/agents/${agent}/versions`, aReader(textInput));
    await commands.write('a.txt', 'one');
    await commands.write('b.txt', 'two');
    await mkdir(join(commands.folder, 'pages'));
  });
  afterAll(() => commands.stop());

  const start = (...args: string[]): Promise<Run> =>
    commands.json<Run>(['runs', 'start', 'reader', ...args.flatMap((text) => ['--input', text])]);
  const upload = async (filename: string, text: string): Promise<string> => {
    const uploaded = commands.json(['files', 'upload', '-', '--filename', filename], { input: text });
    return (await uploaded).id;
  };
  const startWith = (files: readonly string[]): Promise<Run> =>
    start(`deep:=${JSON.stringify(files.map((file) => ({ file })))}`);
  const refused = (outcome: CommandOutcome, code: number) => {
    expect([outcome.code, outcome.stdout]).toEqual([code, '']);
    return failureIn(outcome);
  };

  describe('start', () => {
    it('sends a file, a list of files and the other fields', async () => {
      await commands.write('input.yaml', 'note: from a file\ninvoice: replaced\n');
      const run = await commands.json<Run>(
        ['runs', 'start', 'reader', '--test', '--input-file', 'input.yaml', '--input', 'invoice=@a.txt'].concat(
          ['attachments[]=@a.txt', 'attachments[]=@b.txt'].flatMap((text) => ['--input', text]),
        ),
      );
      expect(run).toMatchObject({
        mode: 'test',
        version: 1,
        input: {
          note: 'from a file',
          invoice: { filename: 'a.txt', bytes: 3, content_type: 'text/plain' },
          attachments: [{ filename: 'a.txt' }, { filename: 'b.txt', bytes: 3 }],
        },
      });
    });

    it('sends large, empty and oddly named files as they are', async () => {
      const bytes = randomBytes(9 * 1024 * 1024);
      const name = 'ü 50%.bin';
      await writeFile(join(commands.folder, name), bytes);
      await commands.write('empty', '');
      const { input } = await start(`invoice=@./${name}`, 'attachments[]=@empty');
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(input).toMatchObject({ invoice: { filename: name, sha256 }, attachments: [{ bytes: 0 }] });
    });

    it('leaves a text as it is where the version has no file', async () => {
      expect((await start('note=@a.txt')).input).toEqual({ note: '@a.txt' });
      const version = ['runs', 'start', 'reader', '--version', '2', '--input', 'invoice=@missing.txt'];
      expect(await commands.json(version)).toMatchObject({ version: 2, input: { invoice: '@missing.txt' } });
    });

    it.each([
      [['invoice=@missing.txt'], 'missing.txt', 'does not exist'],
      [['invoice=@pages'], 'pages', 'not a file'],
      [['invoice=@a.txt/b'], 'a.txt/b', 'does not exist'],
      [['invoice=@'], '--input', 'no path'],
      [['invoice[]=@a.txt'], '--input', 'one file'],
      [['attachments=@a.txt'], '--input', 'a list'],
      [['invoice=@a.txt', 'invoice=@b.txt'], '--input', 'twice'],
      [['attachments[]=@a.txt', 'attachments:=[]'], '--input', 'twice'],
    ])('rejects %j and starts nothing', async (texts, where, what) => {
      const outcome = await commands.run(['runs', 'start', 'reader', ...texts.flatMap((text) => ['--input', text])]);
      const failure = refused(outcome, 2);
      expect(failure).toMatchObject({ where });
      expect(failure.what).toContain(what);
    });

    it('shows why the service rejects a file', async () => {
      await commands.write('page.html', '<!doctype html><html></html>');
      const outcome = await commands.run(['runs', 'start', 'reader', '--input', 'invoice=@page.html']);
      refused(outcome, 2);
      expect(outcome.stderr).toContain('/input/invoice: This file has the type text/html');
    });

    // The account root may read every file.
    const unlessRoot = process.getuid?.() === 0 ? it.skip : it;
    unlessRoot('rejects a file that the account may not read', async () => {
      await chmod(join(commands.folder, await commands.write('secret.txt', 'x')), 0o000);
      const outcome = await commands.run(['runs', 'start', 'reader', '--input', 'invoice=@secret.txt']);
      expect(refused(outcome, 2).what).toContain('cannot be read');
    });
  });

  describe('files', () => {
    it('lists the places of the files', async () => {
      const run = await start('invoice=@a.txt', 'attachments[]=@b.txt');
      const places = await commands.json<Place[]>(['runs', 'files', run.id, '--order', 'asc']);
      expect(places).toMatchObject([
        { path: 'input.attachments.0', file: { filename: 'b.txt', status: 'ready' } },
        { path: 'input.invoice', file: { filename: 'a.txt' } },
      ]);
      const [titles, first] = linesOf(await commands.printed(['runs', 'files', run.id, '--order', 'asc']));
      expect(titles).toMatch(/^PATH +NAME +TYPE +BYTES +STATUS +ID$/);
      expect(first).toMatch(/^input\.attachments\.0 +b\.txt +text\/plain +3 +ready +file_\w+$/);
      expect(linesOf(await commands.printed(['runs', 'files', run.id, '--limit', '1', '-o', 'name']))).toHaveLength(1);
    });

    it('are written to a folder once each, with distinct names inside it', async () => {
      const ids = [await upload('../../x', 'one'), await upload('x', 'two'), await upload('..', '')];
      const run = await startWith([...ids, ids[0]!]);
      const written = await commands.json<{ id: string; path: string }[]>(['runs', 'files', run.id, '--to', 'new/out']);
      expect(written.map(({ id, path }) => [id, path])).toEqual([
        [ids[0], 'new/out/x'],
        [ids[1], 'new/out/x-2'],
        [ids[2], 'new/out/file'],
      ]);
      const folder = join(commands.folder, 'new/out');
      expect((await readdir(folder)).sort()).toEqual(['file', 'x', 'x-2']);
      expect(await readFile(join(folder, 'x-2'), 'utf8')).toBe('two');
    });

    it('are shown and written although the run redacts them, only with --reveal', async () => {
      const { client } = commands.scene.stack;
      await client.createAgent({ ...aReader({}), name: 'secretive', redact: { paths: ['input.secret'] } });
      const file = await upload('salaries.txt', 'Ada: 100');
      const input = ['--input', `secret:=${JSON.stringify({ file })}`];
      const run = await commands.json<Run>(['runs', 'start', 'secretive', ...input]);
      const shown = await commands.json<Place[]>(['runs', 'files', run.id]);
      expect(shown).toMatchObject([{ path: 'input.secret', file: { id: file, filename: '[redacted]' } }]);
      const hidden = await commands.run(['runs', 'files', run.id, '--to', 'hidden', '-o', 'name']);
      expect([hidden.code, await readdir(join(commands.folder, 'hidden'))]).toEqual([1, []]);
      const revealed = await commands.json<Place[]>(['runs', 'files', run.id, '--reveal']);
      expect(revealed).toMatchObject([{ file: { filename: 'salaries.txt' } }]);
      await commands.printed(['runs', 'files', run.id, '--reveal', '--to', 'revealed']);
      expect(await readFile(join(commands.folder, 'revealed/salaries.txt'), 'utf8')).toBe('Ada: 100');
    });

    it('name what cannot be written, replace nothing, and write the others', async () => {
      const [kept, gone, other] = [await upload('kept', 'new'), await upload('gone', 'x'), await upload('other', 'y')];
      const run = await startWith([kept, gone, other]);
      await commands.printed(['logs', run.id]);
      await commands.printed(['files', 'delete', gone]);
      await mkdir(join(commands.folder, 'some'));
      await commands.write('some/kept', 'old');
      const outcome = await commands.run(['runs', 'files', run.id, '--to', 'some', '-o', 'name']);
      expect([outcome.code, outcome.stdout]).toEqual([1, 'some/other\n']);
      expect(outcome.stderr).toContain(`${kept} (kept) was not written. Error: The file exists already.`);
      expect(outcome.stderr).toContain(`${gone} (gone) was not written. Error: `);
      expect(outcome.stderr).toContain('Error: 2 of 3 files were not written.');
      expect((await readdir(join(commands.folder, 'some'))).sort()).toEqual(['kept', 'other']);
      expect(await readFile(join(commands.folder, 'some/kept'), 'utf8')).toBe('old');
    });

    it('are complete or absent, whatever the service sends', async () => {
      const files = ['../../evil', '.hidden'].map((filename, n) => ({ id: `file_${n}`, filename, bytes: 4 }));
      const data = files.map((file) => ({ file, step: null, path: 'input.x' }));
      const server = createServer(({ url = '' }, response) => {
        if (url.includes('/runs/')) response.end(JSON.stringify({ data, next_cursor: null }));
        else if (url.includes('file_0')) response.end('good');
        else response.writeHead(200, { 'Content-Length': '4' }).write('ba', () => response.destroy());
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const { port } = server.address() as AddressInfo;
        const options = { env: { AAS_URL: `http://127.0.0.1:${port}` } };
        const outcome = await commands.run(['runs', 'files', 'run_1', '--to', 'broken', '-o', 'name'], options);
        expect([outcome.code, outcome.stdout]).toEqual([1, 'broken/evil\n']);
        expect(outcome.stderr).toContain('file_1 (.hidden) was not written. Error: The download broke off.');
        refused(await commands.run(['files', 'get', 'file_1', '--to', 'broken/other'], options), 8);
        expect(await readdir(join(commands.folder, 'broken'))).toEqual(['evil']);
      } finally {
        server.close();
        await once(server, 'close');
      }
    });

    it('need a folder, and a run that exists', async () => {
      const run = await start('invoice=@a.txt');
      expect(refused(await commands.run(['runs', 'files', run.id, '--to', 'a.txt']), 2).where).toBe('--to');
      refused(await commands.run(['runs', 'files', run.id, '--to', 'new', '--limit', '1']), 2);
      const unknown = 'run_01kahzvk3te9d8q6f0f1v3m2sx';
      refused(await commands.run(['runs', 'files', unknown, '--to', 'never']), 3);
      expect(await readdir(commands.folder)).not.toContain('never');
    });
  });

  describe('fixtures', () => {
    it('are put, listed, written to a file and deleted by name', async () => {
      const put = ['fixtures', 'put', 'a.txt'];
      const fixture = await commands.json<{ name: string; file: { id: string } }>(put);
      expect(fixture).toMatchObject({ name: 'a.txt', file: { filename: 'a.txt', bytes: 3 } });
      const replaced = await commands.printed(['fixtures', 'put', '-', '--name', 'a.txt', '-o', 'name'], {
        input: 'two!',
      });
      expect(replaced).toBe('a.txt\n');
      const [titles, row] = linesOf(await commands.printed(['fixtures', 'list']));
      expect(titles).toMatch(/^NAME +TYPE +BYTES +CREATED +FILE$/);
      expect(row).toMatch(/^a\.txt +text\/plain +4 +\S+ +file_\w+$/);
      expect(await commands.json(['fixtures', 'get', 'a.txt'])).toMatchObject({ name: 'a.txt', file: { bytes: 4 } });
      await commands.printed(['fixtures', 'get', 'a.txt', '--to', 'fixture.txt']);
      expect(await readFile(join(commands.folder, 'fixture.txt'), 'utf8')).toBe('two!');
      expect(await commands.printed(['fixtures', 'get', 'a.txt', '--to', '-'])).toBe('two!');
      expect(await commands.printed(['fixtures', 'delete', 'a.txt'])).toBe('');
      refused(await commands.run(['fixtures', 'delete', 'a.txt']), 3);
    });

    it('need a name that a fixture can have', async () => {
      expect(refused(await commands.run(['fixtures', 'put', '-'], { input: 'x' }), 2).where).toBe('--name');
      refused(await commands.run(['fixtures', 'put', 'a.txt', '--name', 'a b']), 2);
      expect(refused(await commands.run(['fixtures', 'put', 'missing.txt']), 2).where).toBe('missing.txt');
      refused(await commands.run(['fixtures', 'get', 'missing.txt']), 3);
    });
  });

  it('shows the progress of a start with files', async () => {
    await writeFile(join(commands.aas.home, 'scan.bin'), randomBytes(300_000));
    const terminal = await commands.aas.terminal('aas runs start reader --input invoice=@scan.bin -o name');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text).toMatch(/Uploading \[#+\.*\] \d+\/30\d{4}/);
    expect(terminal.text.split('\u001b[2K').at(-1)).toMatch(/run_\w+\r\n/);
  });
});
