import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@app/kernel';
import {
  CommandLine,
  type CommandOptions,
  type CommandOutcome,
  failureIn,
  outcomeOf,
  type ReportedFailure,
} from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

const UNKNOWN_RUN = 'run_01kahzvk3te9d8q6f0f1v3m2sx';
/** If a command exits with one of these codes, it prints nothing to standard output. */
const SILENT = [2, 3, 4, 8];

const aGreeter = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  input: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  steps: [{ id: 'result', output: { greeting: 'Hello ${{ input.name }}' } }],
  ...more,
});

/** An evaluation with two cases. Two passed trials do not prove a pass rate of 90 %. */
const anEvaluation = (greeting: string, gate: JsonObject): JsonObject => ({
  cases: ['Ada', 'Eve'].map((name) => ({
    name,
    input: { name },
    assert: [{ type: 'equals', path: 'output.greeting', value: `${greeting} ${name}` }],
  })),
  gate,
});

const UNDECIDED = anEvaluation('Hello', { min_pass_rate: 0.9, confidence: 0.95 });
const FAILING = anEvaluation('Good day', { min_pass_rate: 0.9, confidence: 0.95 });
const PASSING = anEvaluation('Hello', { min_pass_rate: 1 });

/** `docs/cli.md` documents the exit codes. */
describe('the exit code of a command', () => {
  let scene: Scene;
  let aas: CommandLine;
  let viewer: string;
  let folder: string;

  const { stringify: text } = JSON;
  const key = async (role: string): Promise<string> => {
    const member = `${role}@example.com`;
    await scene.stack.client.expect('POST', '/v1/members', { email: member, role });
    const body = { name: role, kind: 'live', role, member };
    return (await scene.stack.client.expect<{ key: string }>('POST', '/v1/api-keys', body)).key;
  };

  beforeAll(async () => {
    scene = await Scene.start();
    aas = await CommandLine.open({ AAS_URL: scene.stack.baseUrl, AAS_API_KEY: scene.stack.adminKey });
    viewer = await key('viewer');
    await scene.stack.client.createAgent(aGreeter('greeter'));
    await scene.stack.client.createAgent(aToolAgent('hanging', scene.ledger.url, [['read', '/hanging']]));
    await scene.stack.client.createAgent(aToolAgent('broken', scene.ledger.url, [['read', '/broken']]));
    scene.ledger.always('/broken', { status: 400 });
    folder = await mkdtemp(join(tmpdir(), 'aas-exits-'));
    await mkdir(join(folder, 'agents'));
    await writeFile(join(folder, 'aas.yaml'), 'project: exits\n');
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await aas.close();
    await scene.stop();
  });

  /** Runs a command that should exit with `code`. Also checks that its output does not contain the API key. */
  const ends = async (code: number, args: string[], options: CommandOptions = {}): Promise<CommandOutcome> => {
    const outcome = await aas.run(args, { cwd: folder, ...options });
    const { stdout } = outcome;
    expect({ args, ...outcome, stdout: '' }).toEqual({ args, ...outcome, stdout: '', code });
    if (SILENT.includes(code)) expect({ args, stdout }).toEqual({ args, stdout: '' });
    expect(outcome.stdout + outcome.stderr).not.toContain(scene.stack.adminKey);
    return outcome;
  };
  const refused = async (code: number, args: string[], options: CommandOptions = {}): Promise<ReportedFailure> =>
    failureIn(await ends(code, args, options));
  /**
   * Runs a command that the service should reject. The message must contain the request id, with which an operator
   * finds the request.
   */
  const refusedByService = async (code: number, args: string[], options: CommandOptions = {}): Promise<string> => {
    const { where, request } = await refused(code, args, options);
    expect({ args, request }).toEqual({ args, request: expect.stringMatching(/^req_[0-9a-z]{26}$/) });
    return /\(\d+ (\w+)\)$/.exec(where)?.[1] ?? where;
  };
  const definition = (name: string, content: JsonObject) => writeFile(join(folder, 'agents', name), text(content));
  const withServer = async <Result>(answer: RequestListener, use: (url: string) => Promise<Result>) => {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    }
  };

  describe('0', () => {
    it('says that it is done', async () => {
      const { stdout } = await ends(0, ['runs', 'start', 'greeter', '--input', 'name=Ada', '--wait', '-o', 'json']);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', output: { greeting: 'Hello Ada' } });
      for (const args of [['--version'], ['--help'], ['runs', 'start', '--help'], ['help'], ['help', 'exit-codes']])
        expect((await ends(0, args)).stderr).toBe('');
    });

    it('is that of a reader that stops reading', async () => {
      const child = aas.start(['api', 'GET', '/v1/openapi.json']);
      child.stdin?.end();
      child.stdout?.destroy();
      expect(await outcomeOf(child)).toMatchObject({ code: 0, stderr: '' });
    });
  });

  describe('1', () => {
    it('says that a run failed, was cancelled or was handed off', async () => {
      const { stdout } = await ends(1, ['runs', 'start', 'broken', '--wait', '-o', 'json']);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'failed' });
      await ends(1, ['runs', 'start', 'broken', '--follow']);
      const handOff = { id: 'stop', hand_off: { to: ['support'], reason: 'Ask a person.' } };
      await scene.stack.client.createAgent({ name: 'handing', steps: [handOff] });
      expect((await ends(1, ['runs', 'start', 'handing', '--wait', '-o', 'json'])).stdout).toContain('handed_off');

      const waiting = aas.start(['runs', 'start', 'hanging', '--wait', '-o', 'json']);
      waiting.stdin?.end();
      const ended = outcomeOf(waiting);
      scene.ledger.script('/hanging', { hang: true });
      const [call] = await scene.ledger.called('/hanging');
      await ends(0, ['runs', 'cancel', call?.run ?? '', '--reason', 'enough']);
      const cancelled = await ended;
      expect([cancelled.code, JSON.parse(cancelled.stdout)]).toMatchObject([1, { status: 'cancelled' }]);
      scene.ledger.release('/hanging');
      scene.ledger.reset();
      scene.ledger.always('/broken', { status: 400 });
    });

    it('says that a definition is invalid, or differs', async () => {
      await definition('bad.json', { name: 'bad', stesp: [] });
      const { stderr } = await ends(1, ['validate', 'agents']);
      expect(stderr).toMatch(/agents\/bad\.json:1:\d+: error: .*`steps`/);
      expect((await refused(1, ['apply', 'agents'])).where).toBe('agents/bad.json');
      await definition('bad.json', aGreeter('bad'));
      await ends(1, ['diff', 'agents']);
      await ends(0, ['apply', 'agents']);
      await definition('bad.json', aGreeter('bad', { description: 'Greets.' }));
      await ends(0, ['apply', 'agents']);
      await ends(1, ['versions', 'diff', 'bad@1', '2']);
      await ends(0, ['versions', 'diff', 'bad@1', '1']);
      await rm(join(folder, 'agents/bad.json'));
    });

    it('says that a gate failed', async () => {
      await definition('failing.json', aGreeter('failing'));
      await ends(0, ['apply', 'agents']);
      await definition('failing.json', aGreeter('failing', { evaluation: FAILING }));
      const { stdout } = await ends(1, ['apply', 'agents', '--evaluate', '--promote', '-o', 'json']);
      expect(JSON.parse(stdout)).toMatchObject([{ agent: 'failing', version: 2, evaluation: 'failed' }]);
      const { stdout: report } = await ends(1, ['evaluate', 'failing@2', '--wait']);
      expect(report).toMatch(/^status +failed$/m);
      const [titles, ...rows] = report.trimEnd().split('\n\n')[1]?.split('\n') ?? [];
      expect(titles).toMatch(/^CASE +STATUS +RUN +REASON$/);
      expect(rows).toHaveLength(2);
      for (const row of rows) expect(row).toMatch(/ failed +run_\w+ .*Good day/);
      expect((await refused(1, ['promote', 'failing@2'])).places.join()).toContain('gate: 0 of 2 cases passed');
      await rm(join(folder, 'agents/failing.json'));
    });
  });

  describe('2', () => {
    const USAGE: [args: string[], what: RegExp, remedy?: RegExp][] = [
      [['rnus', 'list'], /unknown command 'rnus'/i, /Did you mean runs\?/],
      [['runs', 'lst'], /unknown command 'lst'/i, /Did you mean list\?.*`aas runs --help`/],
      [['runs', 'list', '--stauts', 'failed'], /unknown option '--stauts'/i, /Did you mean --status\?/],
      [['runs'], /verb is missing/, /`aas runs --help`/],
      [['help', 'rnus'], /no command `rnus`/],
      [['runs', 'get'], /missing required argument 'id'/i],
      [['runs', 'get', UNKNOWN_RUN, 'more'], /too many arguments/i],
      [['runs', 'list', '-o', 'xml'], /xml/, /--help/],
      [['runs', 'list', '--limit', '0'], /whole number from 1/],
      [['runs', 'start', 'greeter', '--timeout', '1s'], /--timeout needs/],
      [['runs', 'start', 'greeter', '--wait', '--timeout', 'soon'], /whole number and a unit/],
      [['runs', 'start', 'greeter', '--wait', '--follow'], /--wait and --follow/],
      [['runs', 'replay', UNKNOWN_RUN, '--timeout', '1s'], /--timeout needs/],
      [['triggers', 'run', 'greeter', 'morning', '--wait', '--follow'], /--wait and --follow/],
      [['runs', 'start', 'greeter', '--input', 'name'], /`name`/],
      [['runs', 'start', 'greeter', '--input', 'name:=Ada'], /not JSON/],
      [['runs', 'start', 'greeter', '--input-file', 'nowhere.json'], /nowhere\.json/],
      [['promote', 'greeter'], /number of a version/],
      [['promote', 'greeter@0'], /number of a version/],
      [['validate', 'nowhere'], /does not exist/],
      [['apply', 'agents'], /definition file/],
      [['init', 'nothing'], /no template `nothing`/, /aas init --list/],
      [['login', 'agents.example.com'], /http or https address/],
      [['api', 'FETCH', '/v1/me'], /FETCH/],
      [['api', 'GET', 'https://elsewhere.example.com/v1/me'], /outside the service/],
      [['completion', 'csh'], /completion .*`csh`/, /bash, zsh or fish/],
      [['approvals', 'approve', 'apr_01kahzvk3te9d8q6f0f1v3m2sx'], /confirmation/, /--yes --if-revision/],
      [['approvals', 'approve', 'apr_01kahzvk3te9d8q6f0f1v3m2sx', '--yes'], /confirmation/],
      [['kb', 'push', 'base', 'nowhere.md', '--timeout', '1s'], /--timeout needs --wait/],
      [['secrets', 'set', 'TOKEN'], /value is empty/, /< file/],
      [['secrets', 'set', 'TOKEN', 'hidden-value'], /too many arguments/i],
      [['kb', 'push', 'base', 'nowhere.md'], /does not exist/],
    ];

    it.each(USAGE)('says that the arguments %j are wrong', async (args, what, remedy = /./) => {
      const failure = await refused(2, args);
      expect(failure.what).toMatch(what);
      expect(failure.remedy).toMatch(remedy);
      expect(failure.request).toBeUndefined();
      expect(JSON.stringify(failure)).not.toContain('hidden-value');
    });

    it('says that the service refuses a request as malformed', async () => {
      expect(await refusedByService(2, ['runs', 'list', '--status', 'done'])).toBe('invalid_request');
      expect(await refusedByService(2, ['runs', 'list', '--since', 'yesterday'])).toBe('invalid_request');
      expect(await refusedByService(2, ['runs', 'start', 'greeter'])).toBe('input_invalid');
      const { places } = await refused(2, ['runs', 'start', 'greeter', '--input', 'nmae=Ada']);
      expect(places.join()).toMatch(/name/);
      const args = ['keys', 'create', 'ci', '--role', 'viewer', '--member', 'unknown@example.com'];
      expect(await refusedByService(2, args)).toBe('unknown_reference');
      expect(await refusedByService(2, ['members', 'add', 'eve@example.com', '--role', 'king'])).toBe(
        'invalid_request',
      );
    });
  });

  describe('3', () => {
    it.each([
      [['agents', 'get', 'nothing']],
      [['runs', 'get', UNKNOWN_RUN]],
      [['runs', 'tail', UNKNOWN_RUN]],
      [['runs', 'list', '--agent', 'nothing']],
      [['versions', 'get', 'greeter@9']],
      [['kb', 'search', 'nothing', 'words']],
      [['approvals', 'show', 'apr_01kahzvk3te9d8q6f0f1v3m2sx']],
      [['api', 'GET', '/v1/nothing']],
    ])('says that %j names nothing', async (args) => {
      expect(await refusedByService(3, args)).toBe('not_found');
    });

    it('says that there is no context of this name', async () => {
      expect((await refused(3, ['context', 'use', 'nothing'])).what).toContain('`nothing`');
      expect((await refused(3, ['whoami', '--context', 'nothing'])).remedy).toContain('aas context list');
    });
  });

  describe('4', () => {
    it('says that the person is not signed in', async () => {
      expect((await refused(4, ['whoami'], { env: { AAS_URL: '' } })).remedy).toContain('aas login');
      expect((await refused(4, ['whoami'], { env: { AAS_API_KEY: '' } })).what).toContain(scene.stack.baseUrl);
    });

    it('says that a key is wrong, without showing it', async () => {
      const wrong = `${scene.stack.adminKey.slice(0, -6)}000000`;
      const options = { env: { AAS_API_KEY: wrong } };
      for (const args of [['whoami'], ['apply', 'agents'], ['runs', 'list', '-o', 'json']]) {
        if (args[0] === 'apply') await definition('any.json', aGreeter('any'));
        const { stderr } = await ends(4, args, options);
        expect(stderr).not.toContain(wrong.slice(12));
        expect(failureIn({ code: 4, stdout: '', stderr }).where).toContain('(401 invalid_api_key)');
      }
      await rm(join(folder, 'agents/any.json'));
      const typed = await refused(2, ['login', scene.stack.baseUrl, `--with-key=${scene.stack.adminKey}`]);
      expect(typed.what).toContain('--with-key');
      const signIn = ['login', scene.stack.baseUrl, '--with-key'];
      expect((await refused(4, signIn, { input: wrong })).where).toContain('(401 invalid_api_key)');
      expect((await aas.json<object[]>(['context', 'list'])).length).toBe(0);
    });

    it('says that the role does not allow it', async () => {
      const options = { env: { AAS_API_KEY: viewer } };
      expect(await refusedByService(4, ['runs', 'start', 'greeter', '--input', 'name=Ada'], options)).toBe(
        'insufficient_scope',
      );
      await refusedByService(4, ['stop'], options);
      await refusedByService(4, ['members', 'add', 'eve@example.com', '--role', 'viewer'], options);
    });
  });

  describe('5', () => {
    it('says that a name is taken, a run has ended, or a file exists', async () => {
      expect(await refusedByService(5, ['members', 'add', 'viewer@example.com', '--role', 'viewer'])).toBe(
        'name_taken',
      );
      const run = await aas.json<{ id: string }>(['runs', 'start', 'greeter', '--input', 'name=Ada', '--wait']);
      expect(await refusedByService(5, ['runs', 'cancel', run.id])).toBe('run_not_cancellable');
      await refused(5, ['init']);
      expect((await refused(5, ['rollback', 'greeter'])).what).toContain('no previous production version');
    });

    it('says that the workspace is stopped', async () => {
      await ends(0, ['stop', '--reason', 'Refunds are paid twice']);
      const args = ['runs', 'start', 'greeter', '--input', 'name=Ada', '--wait'];
      expect(await refusedByService(5, args)).toBe('workspace_stopped');
      await ends(0, ['resume']);
      await ends(0, args);
    });

    it('says that a version was made elsewhere, and shows the difference', async () => {
      await definition('shared.json', aGreeter('shared'));
      await ends(0, ['apply', 'agents']);
      const { id } = await aas.json<{ id: string }>(['agents', 'get', 'shared']);
      const elsewhere = aGreeter('shared', { description: 'Made elsewhere.' });
      await scene.stack.client.expect('POST', `/v1/agents/${id}/versions`, elsewhere);
      await definition('shared.json', aGreeter('shared', { description: 'Made here.' }));
      const outcome = await ends(5, ['apply', 'agents']);
      expect(outcome.stderr).toMatch(/^-.*Made elsewhere\..*\n(.*\n)?\+.*Made here\./m);
      expect(failureIn(outcome)).toMatchObject({ where: 'agent shared', remedy: expect.stringMatching(/--overwrite/) });
      await rm(join(folder, 'agents/shared.json'));
    });
  });

  describe('6', () => {
    it('says that a gate is inconclusive, and production stays as it is', async () => {
      await definition('undecided.json', aGreeter('undecided'));
      await ends(0, ['apply', 'agents', '--evaluate', '--promote']);
      await definition('undecided.json', aGreeter('undecided', { evaluation: UNDECIDED }));
      const apply = ['apply', 'agents', '--evaluate', '--promote', '-o', 'json'];
      for (const { stdout } of [await ends(6, apply), await ends(6, apply)])
        expect(JSON.parse(stdout)).toMatchObject([{ agent: 'undecided', version: 2, evaluation: 'inconclusive' }]);
      expect(failureIn(await ends(6, ['apply', 'agents', '--promote'])).where).toContain('gate_inconclusive');
      await ends(6, ['evaluate', 'undecided@2', '--wait']);
      expect(await refusedByService(6, ['promote', 'undecided@2'])).toBe('gate_inconclusive');
      expect(await aas.json(['agents', 'get', 'undecided'])).toMatchObject({ production_version: 1 });
    });

    it('is 1 where another agent of the same files failed', async () => {
      await definition('failed.json', aGreeter('failed'));
      await ends(6, ['apply', 'agents', '--promote']);
      await definition('failed.json', aGreeter('failed', { evaluation: FAILING }));
      await ends(1, ['apply', 'agents', '--evaluate', '--promote']);
      await rm(join(folder, 'agents/failed.json'));
      await rm(join(folder, 'agents/undecided.json'));
    });

    it('says that a first version, which is in production at once, is undecided', async () => {
      await definition('new.json', aGreeter('new', { evaluation: UNDECIDED }));
      const { stdout } = await ends(6, ['apply', 'agents', '--evaluate', '--promote', '-o', 'json']);
      expect(JSON.parse(stdout)).toMatchObject([{ agent: 'new', version: 1, evaluation: 'inconclusive' }]);
      await rm(join(folder, 'agents/new.json'));
    });

    it('says that an evaluation is required or in progress', async () => {
      const agent = await scene.stack.client.createAgent(aGreeter('measured'));
      const path = `/v1/agents/${agent}/versions`;
      await scene.stack.client.expect('POST', path, aGreeter('measured', { evaluation: PASSING }));
      expect(await refusedByService(6, ['promote', 'measured@2'])).toBe('evaluation_required');
      scene.ledger.always('/slow', { hang: true });
      const slow = { ...aToolAgent('measured', scene.ledger.url, [['read', '/slow']]), evaluation: PASSING };
      await scene.stack.client.expect('POST', path, slow);
      const started = await aas.json<{ id: string }>(['evaluate', 'measured@3']);
      await scene.ledger.called('/slow');
      expect(await refusedByService(6, ['promote', 'measured@3'])).toBe('evaluation_in_progress');
      const waiting = await ends(7, ['evaluate', 'measured@3', '--wait', '--timeout', '1s', '-o', 'name']);
      expect(waiting.stdout).toBe(`${started.id}\n`);
      expect(waiting.stderr).toContain(`Evaluation ${started.id} continues.`);
      await scene.stack.client.expect('POST', `/v1/evaluations/${started.id}/cancel`);
      scene.ledger.always('/slow', {});
      scene.ledger.release('/slow');
    });
  });

  describe('7', () => {
    it.each(['--wait', '--follow'])('says that the time of %s is over and leaves the run alone', async (how) => {
      scene.ledger.script('/hanging', { hang: true });
      const before = scene.ledger.callsOf('/hanging').length;
      const { stderr } = await ends(7, ['runs', 'start', 'hanging', how, '--timeout', '1s']);
      const [, id = ''] = /Run (run_\w+) continues\. .*`aas runs tail \1`/.exec(stderr) ?? [];
      await scene.ledger.called('/hanging', before + 1);
      expect(await aas.json(['runs', 'get', id])).toMatchObject({ status: 'running' });
      scene.ledger.release('/hanging');
      await ends(0, ['runs', 'tail', id]);
    });
  });

  describe('8', () => {
    it('says that the service is unreachable', async () => {
      const { where, remedy } = await refused(8, ['whoami'], { env: { AAS_URL: 'http://127.0.0.1:9' } });
      expect(where).toBe('http://127.0.0.1:9');
      expect(remedy).toContain('aas status');
    });

    it.each<[title: string, answer: RequestListener, code: string]>([
      ['limits requests', problem(429, 'rate_limited', { 'retry-after': '120' }), 'rate_limited'],
      ['fails', problem(503, 'unavailable'), 'unavailable'],
      ['is another program', (_, response) => response.writeHead(200).end('<!doctype html>'), 'unexpected_response'],
      [
        'redirects',
        (_, response) => response.writeHead(302, { location: 'https://elsewhere.example.com/' }).end(),
        'redirect_refused',
      ],
    ])('says that the service %s', async (_title, answer, code) => {
      await withServer(answer, async (url) => {
        expect((await refused(8, ['whoami'], { env: { AAS_URL: url } })).where).toContain(` ${code})`);
      });
    });
  });

  describe('130', () => {
    it.each(['--wait', '--follow'])('says that %s was interrupted, with the id of the run', async (how) => {
      scene.ledger.script('/hanging', { hang: true });
      const before = scene.ledger.callsOf('/hanging').length;
      const child = aas.start(['runs', 'start', 'hanging', how]);
      let seen = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (seen += String(part)));
      const ended = outcomeOf(child);
      const run = (await scene.ledger.called('/hanging', before + 1)).at(-1)?.run ?? '';
      await eventually(() => expect(seen).not.toBe(''));
      child.kill('SIGINT');
      const { code, stderr } = await ended;
      expect(code).toBe(130);
      expect(stderr).toContain(`Run ${run} continues.`);
      expect(await aas.json(['runs', 'get', run])).toMatchObject({ status: 'running' });
      scene.ledger.release('/hanging');
      await ends(0, ['runs', 'tail', run]);
    });
  });
});

function problem(status: number, code: string, headers: Record<string, string> = {}): RequestListener {
  const request_id = 'req_01kahzvk3te9d8q6f0f1v3m2sx';
  const body = JSON.stringify({ type: 'about:blank', title: 'Refused', status, code, detail: 'Later.', request_id });
  return (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/problem+json', ...headers }).end(body);
}
