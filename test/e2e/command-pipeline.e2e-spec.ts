import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '@app/kernel';
import { parse } from 'yaml';
import { CommandLine, type CommandOutcome } from '../support/command-line.js';
import { REPOSITORY_ROOT } from '../support/repository-root.js';
import { Scene } from '../support/scene.js';

interface GithubWorkflow {
  jobs: Record<'check' | 'release', { env: Record<string, string>; steps: { uses?: string; run?: string }[] }>;
}

interface GitlabPipeline {
  check: { script: string[] };
  release: { script: string[]; allow_failure: { exit_codes: number } };
}

/** A definition of an agent with the greeting `greeting`, two cases that expect `expected`, and a promotion gate. */
const greeter = ({
  greeting = 'Hello',
  expected = 'Hello',
  gate = 'max_age: 7d',
  method = 'GET',
}): string => `name: greeter
input: { type: object, required: [name], properties: { name: { type: string } } }
tools:
  - name: shop
    type: http
    base_url: https://shop.example.com
    operations: [{ name: call, method: ${method}, path: /orders }]
steps:
  - { id: result, output: { greeting: '${greeting} \${{ input.name }}' } }
evaluation:
  cases:
    - { name: Ada, input: { name: Ada }, assert: [{ type: equals, path: output.greeting, value: ${expected} Ada }] }
    - { name: Eve, input: { name: Eve }, assert: [{ type: equals, path: output.greeting, value: ${expected} Eve }] }
  gate: { ${gate} }
`;

const UNDECIDED = { greeting: 'Good day', expected: 'Good day', gate: 'min_pass_rate: 0.9' };

const git = async (cwd: string, ...args: string[]): Promise<string> => {
  const author = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' };
  const env = { PATH: process.env.PATH, HOME: cwd, ...author, ...committer };
  return (await promisify(execFile)('git', args, { cwd, env })).stdout;
};

/** Runs the jobs of the pipeline in docs/cli.md line by line. Each job gets a fresh clone, as on a CI runner. */
describe('the pipeline of docs/cli.md', () => {
  let scene: Scene;
  let aas: CommandLine;
  let folder: string;
  let keys: Record<'viewer' | 'builder', string>;
  let github: GithubWorkflow;
  let gitlab: GitlabPipeline;

  beforeAll(async () => {
    const text = await readFile(join(REPOSITORY_ROOT, 'docs/cli.md'), 'utf8');
    const blockOf = (file: string): unknown => parse(text.split(`\n# ${file}\n`)[1]?.split('\n```')[0] ?? '');
    github = blockOf('.github/workflows/agents.yml') as GithubWorkflow;
    gitlab = blockOf('.gitlab-ci.yml') as GitlabPipeline;

    scene = await Scene.start();
    aas = await CommandLine.open({ AAS_URL: scene.stack.baseUrl, AAS_API_KEY: scene.stack.adminKey });
    const keyOf = async (role: string): Promise<string> =>
      (await aas.json<{ key: string }>(['keys', 'create', role, '--role', role])).key;
    keys = { viewer: await keyOf('viewer'), builder: await keyOf('builder') };

    folder = await mkdtemp(join(tmpdir(), 'aas-pipeline-'));
    await mkdir(join(folder, 'origin/agents'), { recursive: true });
    await copyFile(join(REPOSITORY_ROOT, 'dist/cli/aas.mjs'), join(folder, 'origin/aas.mjs'));
    await writeFile(join(folder, 'origin/aas.yaml'), 'project: pipeline\n');
    await git(join(folder, 'origin'), 'init', '--quiet', '--initial-branch', 'main');
    // This script replaces the command `gh`, and records its arguments.
    await mkdir(join(folder, 'bin'));
    const gh = `#!/bin/sh\necho "$@" > '${folder}/gh.args'\ncp comment.md '${folder}/gh.body'\n`;
    await writeFile(join(folder, 'bin/gh'), gh, { mode: 0o755 });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await aas.close();
    await scene.stop();
  });

  const commit = async (text: string): Promise<void> => {
    await writeFile(join(folder, 'origin/agents/greeter.yaml'), text);
    await git(join(folder, 'origin'), 'add', '--all');
    await git(join(folder, 'origin'), 'commit', '--quiet', '--message', 'Change the greeter');
  };
  const checkedOut = async (): Promise<string> => {
    const clone = await mkdtemp(join(folder, 'runner-'));
    await git(folder, 'clone', '--quiet', join(folder, 'origin'), clone);
    return clone;
  };
  /** Runs each line in a shell, and stops after a line that fails. Returns the outcome of the last line. */
  const steps = async (lines: readonly string[], env: Record<string, string>): Promise<CommandOutcome> => {
    const cwd = await checkedOut();
    const PATH = `${join(folder, 'bin')}:${process.env.PATH ?? ''}`;
    let outcome: CommandOutcome = { code: 0, stdout: '', stderr: '' };
    for (const line of lines) {
      outcome = await aas.shell(line, { cwd, env: { PATH, ...env } });
      expect(outcome.stdout + outcome.stderr).not.toMatch(/aas_live_\w{20}/);
      if (outcome.code !== 0) break;
    }
    return outcome;
  };
  const onGithub = async (job: 'check' | 'release'): Promise<CommandOutcome> => {
    const values: Record<string, string> = {
      'vars.AAS_URL': scene.stack.baseUrl,
      'secrets.AAS_VIEWER_KEY': keys.viewer,
      'secrets.AAS_BUILDER_KEY': keys.builder,
      'github.token': 'token',
      'github.event.number': '7',
    };
    const filled = (text: string) => text.replace(/\$\{\{ ([\w.]+) \}\}/g, (_, name: string) => values[name] ?? '');
    const { env, steps: all } = github.jobs[job];
    const filledEnv = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
    return steps(
      all.flatMap(({ run }) => (run === undefined ? [] : [filled(run)])),
      filledEnv,
    );
  };
  const onGitlab = (job: 'check' | 'release'): Promise<CommandOutcome> =>
    steps(gitlab[job].script, {
      AAS_API_KEY: job === 'check' ? keys.viewer : keys.builder,
      COMMENT_TOKEN: 'comment-token',
      CI_API_V4_URL: scene.ledger.url,
      CI_PROJECT_ID: '12',
      CI_MERGE_REQUEST_IID: '7',
    });
  const agent = () =>
    aas.json<{ id: string; latest_version: number; production_version: number; project: string }>([
      'agents',
      'get',
      'greeter',
    ]);
  const releases = () => ({ GitHub: () => onGithub('release'), GitLab: () => onGitlab('release') });

  it('creates the agent with the first release, once', async () => {
    await commit(greeter({}));
    for (const release of Object.values(releases())) expect(await release()).toMatchObject({ code: 0 });
    expect(await agent()).toMatchObject({ latest_version: 1, production_version: 1, project: 'pipeline' });
  });

  it('comments on a pull request what the agent becomes able to do, and changes nothing', async () => {
    await commit(greeter({ method: 'POST' }));
    expect(await onGithub('check')).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, 'gh.args'), 'utf8')).toBe(
      'pr comment 7 --edit-last --create-if-none --body-file comment.md\n',
    );
    const body = await readFile(join(folder, 'gh.body'), 'utf8');
    expect(body).toMatch(/^### Agents\n\n\| severity \| agent \| change \|\n/);
    expect(body.indexOf('+    operations: [{ name: call, method: POST')).toBeGreaterThan(body.indexOf('<details>'));
    expect(await onGitlab('check')).toMatchObject({ code: 0 });
    const [note] = scene.ledger.callsOf('/projects/12/merge_requests/7/notes');
    expect(note?.headers['private-token']).toBe('comment-token');
    expect(new URLSearchParams(note?.body).get('body')).toBe(body);
    expect(await agent()).toMatchObject({ latest_version: 1 });
  });

  it('comments that no agent changes', async () => {
    await commit(greeter({}));
    expect(await onGithub('check')).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, 'gh.body'), 'utf8')).toContain('No agent changes.');
  });

  it('fails for a definition that is not valid, before it comments or applies', async () => {
    await rm(join(folder, 'gh.body'));
    await commit(greeter({}).replace('steps:', 'stesp:'));
    const checked = await onGithub('check');
    expect(checked).toMatchObject({ code: 1, stderr: expect.stringMatching(/agents\/greeter\.yaml:\d+:\d+: error:/) });
    await expect(readFile(join(folder, 'gh.body'))).rejects.toThrow();
    expect(await onGitlab('check')).toMatchObject({ code: 1 });
    for (const release of Object.values(releases())) expect(await release()).toMatchObject({ code: 1, stdout: '' });
  });

  it('evaluates and promotes a version whose gate passes', async () => {
    await commit(greeter({ greeting: 'Good day', expected: 'Good day' }));
    const { code, stderr } = await onGithub('release');
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Promoted greeter@2.') });
    expect(await agent()).toMatchObject({ latest_version: 2, production_version: 2 });
  });

  it('ends with 6 for a gate that is undecided, as often as it is repeated, and leaves production alone', async () => {
    await commit(greeter(UNDECIDED));
    for (const release of Object.values(releases())) {
      const { code, stderr } = await release();
      expect({ code, stderr }).toMatchObject({ code: 6, stderr: expect.stringContaining('inconclusive') });
    }
    expect(gitlab.release.allow_failure).toEqual({ exit_codes: 6 });
    expect(await agent()).toMatchObject({ latest_version: 3, production_version: 2 });
  });

  it('ends with 1 for a gate that failed', async () => {
    await commit(greeter({ greeting: 'Good day', expected: 'Hello' }));
    expect(await onGithub('release')).toMatchObject({ code: 1 });
    expect(await agent()).toMatchObject({ latest_version: 4, production_version: 2 });
  });

  it('ends with 5 for a version that was made elsewhere, and applies nothing', async () => {
    const { id } = await agent();
    const elsewhere: JsonObject = { name: 'greeter', steps: [{ id: 'result', output: { edited: true } }] };
    await scene.stack.client.expect('POST', `/v1/agents/${id}/versions`, elsewhere);
    await commit(greeter({ greeting: 'Welcome', expected: 'Welcome' }));
    for (const release of Object.values(releases())) expect(await release()).toMatchObject({ code: 5, stdout: '' });
    expect(await agent()).toMatchObject({ latest_version: 5, production_version: 2 });
  });

  it('has a check whose key may release nothing', async () => {
    await commit(greeter(UNDECIDED));
    const lines = gitlab.release.script.map((line) => `${line} --overwrite`);
    expect(await steps(lines, { AAS_API_KEY: keys.viewer })).toMatchObject({ code: 4, stdout: '' });
  });
});
