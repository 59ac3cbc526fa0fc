import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '@app/kernel';
import type { ApiClient, RunAnswer } from './api-client.js';
import { Browser } from './browser.js';
import { eventually } from './eventually.js';
import { MailServer } from './mail-server.js';
import { ModelScene } from './model-scene.js';
import { CLIENT, OauthServer } from './oauth-server.js';
import { endAll, type Scene } from './scene.js';

const PUBLIC = 'http://agents.example.test';
const WITHIN = { within: 150_000 };

export interface CookbookAgent {
  id: string;
  secret: string;
}

export interface WebhookCall {
  status: number;
  json: Record<string, unknown>;
}

interface Evaluated {
  ended_at: string | null;
  status: string;
  gate: { result: string | null; reasons: string[] };
}

/**
 * The service and the servers that the cookbook agents call: one server for all HTTP APIs, a model, a mail relay and an
 * OAuth provider. A person has authorised the connection `google-sheets`.
 */
export class CookbookScene {
  private constructor(
    readonly stage: ModelScene,
    readonly mail: MailServer,
    private readonly ends: (() => Promise<void>)[],
  ) {}

  static async start(secrets: Readonly<Record<string, string>>, connected: string[]): Promise<CookbookScene> {
    const ends: (() => Promise<void>)[] = [];
    try {
      const mail = await MailServer.start();
      ends.push(() => mail.close());
      const oauth = await OauthServer.start(`${PUBLIC}/v1/oauth/callback`);
      ends.push(() => oauth.stop());
      const google_drive = {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        authorize_url: `${oauth.url}/auth`,
        token_url: `${oauth.url}/token`,
        issuer: oauth.url,
        authorize_parameters: { prompt: 'login' },
        client_authentication: 'basic',
      };
      const stage = await ModelScene.start({
        env: {
          SMTP_RELAY_URL: mail.url,
          EGRESS_ALLOW: '127.0.0.1/32',
          PUBLIC_URL: PUBLIC,
          OAUTH_PROVIDERS: JSON.stringify({ providers: { google_drive } }),
        },
      });
      ends.push(() => stage.stop());
      const scene = new CookbookScene(stage, mail, ends);
      for (const [name, value] of Object.entries(secrets))
        await stage.client.call('PUT', `/v1/secrets/${name}`, { value });
      await scene.connect('google-sheets', connected);
      return scene;
    } catch (error) {
      await endAll(ends).catch(() => undefined);
      throw error;
    }
  }

  get scene(): Scene {
    return this.stage.scene;
  }

  get ledger(): Scene['ledger'] {
    return this.scene.ledger;
  }

  get client(): Scene['stack']['client'] {
    return this.scene.stack.client;
  }

  /** Creates the agent of a cookbook file. The definition differs from the file only in the hosts of its HTTP tools. */
  async create(file: string): Promise<CookbookAgent> {
    const text = (await readFile(`docs/cookbook/${file}.yaml`, 'utf8')).replaceAll(
      /(base_url: "?)https:\/\/[^/"\s]+/g,
      `$1${this.ledger.url}`,
    );
    const response = await fetch(`${this.scene.stack.baseUrl}/v1/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.scene.stack.adminKey}`, 'content-type': 'application/yaml' },
      body: text,
    });
    const body = (await response.json()) as { id: string; webhook_secret: string };
    if (response.status !== 201) throw new Error(`${file} was refused: ${JSON.stringify(body)}`);
    return { id: body.id, secret: body.webhook_secret };
  }

  async run(agent: CookbookAgent, input: JsonObject = {}): Promise<RunAnswer> {
    return this.ended((await this.client.startRun(agent.id, input)).id);
  }

  ended(run: string): Promise<RunAnswer> {
    return eventually(async () => {
      const answer = await this.client.run(run);
      if (answer.ended_at === null) throw new Error(`The run ${run} is ${answer.status}.`);
      return answer;
    }, WITHIN);
  }

  /** Waits until the agent has `count` runs and all of them have ended. Returns them, oldest first. */
  runsOf({ id }: CookbookAgent, count: number): Promise<RunAnswer[]> {
    return eventually(async () => {
      const { data } = await this.client.expect<{ data: RunAnswer[] }>('GET', `/v1/runs?agent=${id}&order=asc`);
      const ended = data.filter(({ ended_at }) => ended_at !== null);
      if (ended.length !== count || data.length !== count)
        throw new Error(`${ended.length} of ${data.length} runs have ended, not ${count}.`);
      return data;
    }, WITHIN);
  }

  async trigger(
    { id }: CookbookAgent,
    body: string | URLSearchParams,
    headers: Readonly<Record<string, string>>,
  ): Promise<WebhookCall> {
    const type: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const response = await fetch(`${this.scene.stack.baseUrl}/v1/agents/${id}/trigger`, {
      method: 'POST',
      headers: { ...type, ...headers },
      body,
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  }

  /** Makes the next poll of the agent due at once, and waits for its outcome. */
  async poll({ id }: CookbookAgent, path: string): Promise<void> {
    const before = this.ledger.callsOf(path).length;
    await this.scene.stack.query(
      'update poll_watches set due_at = clock_timestamp() where agent_id = $1 and worker is null',
      [id],
    );
    await this.ledger.called(path, before + 1);
    await this.polled(id);
  }

  /** Waits for the outcome of the poll that is in progress. */
  polled(agent: string): Promise<void> {
    const open = 'select from poll_watches where agent_id = $1 and (worker is not null or due_at <= clock_timestamp())';
    return eventually(async () => {
      if ((await this.scene.stack.query(open, [agent])).length > 0) throw new Error('A poll has no outcome yet.');
    }, WITHIN);
  }

  /** Evaluates version 1. Returns the status of the evaluation, the result of the gate, and the cases that failed. */
  async evaluate({ id }: CookbookAgent): Promise<{ status: string; gate: string | null; failed: unknown[] }> {
    const started = await this.client.expect<{ id: string }>('POST', `/v1/agents/${id}/versions/1/evaluate`);
    return eventually(async () => {
      const evaluation = await this.client.expect<Evaluated & { results: { status: string }[] }>(
        'GET',
        `/v1/evaluations/${started.id}`,
      );
      if (evaluation.ended_at === null) throw new Error('The evaluation has not ended.');
      const failed = evaluation.results.filter(({ status }) => status !== 'passed');
      return { status: evaluation.status, gate: evaluation.gate.result, failed };
    }, WITHIN);
  }

  /** Waits until the run has an open approval, and decides about it as `person`. Returns the approval. */
  async decide(person: ApiClient, run: string, decision: string): Promise<JsonObject> {
    const approval = await eventually(async () => {
      const { data } = await person.expect<{ data: (JsonObject & { id: string; run: string })[] }>(
        'GET',
        '/v1/approvals?status=open',
      );
      const found = data.find((each) => each.run === run);
      if (!found) throw new Error(`No approval of ${run} is open.`);
      return found;
    }, WITHIN);
    await person.expect('POST', `/v1/runs/${run}/approvals/${approval.id}`, { decision });
    return approval;
  }

  /** Creates a knowledge base with one document per technique, and returns the path of the knowledge base. */
  async aBase(name: string, techniques: JsonObject[]): Promise<string> {
    const document = `/${name}.json`;
    this.ledger.always(document, { body: { data: techniques } });
    const { id } = await this.client.expect<{ id: string }>('POST', '/v1/knowledge-bases', { name });
    const sources = `/v1/knowledge-bases/${id}/sources`;
    const config = {
      base_url: `${this.ledger.url}${document}`,
      items_pointer: '/data',
      key_pointer: '/id',
      title_pointer: '/id',
      text_pointer: '/description',
    };
    const source = await this.client.expect<{ id: string }>('POST', sources, { connector: 'http_api', config });
    const sync = await this.client.expect<{ id: string }>('POST', `${sources}/${source.id}/sync`);
    await eventually(async () => {
      const path = `${sources}/${source.id}/syncs/${sync.id}`;
      const { status } = await this.client.expect<{ status: string }>('GET', path);
      if (status !== 'succeeded') throw new Error(`The sync is ${status}.`);
    }, WITHIN);
    return `/v1/knowledge-bases/${id}`;
  }

  /** Allows these agents to read the knowledge base, also in runs that the admin starts. */
  async grant(base: string, agents: CookbookAgent[]): Promise<void> {
    const { member } = await this.client.expect<{ member: string }>('GET', '/v1/me');
    await this.client.expect('PUT', `${base}/access`, { agents: agents.map(({ id }) => id), users: [member] });
  }

  reset(): void {
    this.stage.reset();
    this.mail.reset();
  }

  stop(): Promise<void> {
    return endAll(this.ends);
  }

  private async connect(name: string, agents: string[]): Promise<void> {
    const wanted = { name, provider: 'google_drive', scopes: ['openid', 'offline_access', 'read'], agents };
    const { id, authorize_url } = await this.client.expect<{ id: string; authorize_url: string }>(
      'POST',
      '/v1/connections',
      wanted,
    );
    await new Browser(() => ({ [PUBLIC]: this.scene.stack.baseUrl })).open(authorize_url);
    const { status } = await this.client.expect<{ status: string }>('GET', `/v1/connections/${id}`);
    if (status !== 'active') throw new Error(`The connection ${name} is ${status}.`);
  }
}

export const ALL_PASSED = { status: 'passed', gate: 'passed', failed: [] };

export function signedBySlack(body: string, secret: string): Record<string, string> {
  const at = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': `v0=${signature}` };
}

export function signedByLinear(body: string, secret: string): Record<string, string> {
  return { 'linear-signature': createHmac('sha256', secret).update(body).digest('hex') };
}
