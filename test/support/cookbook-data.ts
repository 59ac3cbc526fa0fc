import { readFile } from 'node:fs/promises';
import { expect } from '@jest/globals';
import type { JsonObject, JsonValue } from '@app/kernel';
import { Client } from 'pg';
import type { RunAnswer } from './api-client.js';
import { Browser } from './browser.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import type { Ledger } from './ledger.js';
import { MailServer } from './mail-server.js';
import { MailSender, SELF_SIGNED } from './mail/mail-sender.js';
import { ModelScene } from './model-scene.js';
import type { TurnRequest } from './model-server.js';
import { CLIENT, OauthServer } from './oauth-server.js';
import { createEmptyTestDatabase, type TestDatabase } from './postgres.js';
import { endAll } from './scene.js';
import { SiteServer } from './site-server.js';
import type { Stack } from './stack.js';

const PUBLIC_ORIGIN = 'http://agents.example.test';
const WITHIN = { within: 120_000 };

export interface CookbookAgent {
  id: string;
  webhook_secret: string;
}

export interface EndedRun extends RunAnswer {
  cost: { amount: string };
}

interface Evaluation {
  id: string;
  ended_at: string | null;
  gate: { result: string | null };
}

interface OpenApproval {
  id: string;
  run: string;
  kind: string;
  request: JsonObject | null;
}

/**
 * The service and the servers that the cookbook agents call. These are servers for mail, feeds, OAuth and a database,
 * and a ledger.
 */
export class CookbookData {
  private constructor(
    readonly stage: ModelScene,
    readonly mail: MailServer,
    readonly sender: MailSender,
    readonly site: SiteServer,
    readonly oauth: OauthServer,
    readonly customers: Client,
    private readonly ends: (() => Promise<void>)[],
  ) {}

  static async start(): Promise<CookbookData> {
    const ends: (() => Promise<void>)[] = [];
    try {
      const mail = await MailServer.start();
      ends.push(() => mail.close());
      const site = await SiteServer.start();
      ends.push(() => site.stop());
      const oauth = await OauthServer.start(`${PUBLIC_ORIGIN}/v1/oauth/callback`);
      ends.push(() => oauth.stop());
      const database = await createEmptyTestDatabase();
      ends.push(() => database.drop());
      const customers = new Client({ connectionString: database.url });
      await customers.connect();
      ends.push(() => customers.end());
      const port = await freePort();
      const stage = await ModelScene.start({ workers: 1, env: environment(mail, oauth, port) });
      ends.push(() => stage.stop());
      await putSecrets(stage, database);
      return new CookbookData(stage, mail, new MailSender(port), site, oauth, customers, ends);
    } catch (error) {
      await endAll(ends).catch(() => undefined);
      throw error;
    }
  }

  get stack(): Stack {
    return this.stage.scene.stack;
  }

  get ledger(): Ledger {
    return this.stage.scene.ledger;
  }

  reset(): void {
    this.stage.reset();
    this.mail.reset();
    this.site.clear();
  }

  stop(): Promise<void> {
    return endAll(this.ends);
  }

  /**
   * Creates the agent that `docs/cookbook/<name>.yaml` defines. The keys of `addresses` are URLs of real services,
   * which are replaced by the values.
   */
  async create(name: string, addresses: Readonly<Record<string, string>> = {}): Promise<CookbookAgent> {
    const text = await readFile(`docs/cookbook/${name}.yaml`, 'utf8');
    for (const address of Object.keys(addresses)) expect(text).toContain(address);
    const response = await fetch(`${this.stack.baseUrl}/v1/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.stack.adminKey}`, 'content-type': 'application/yaml' },
      body: Object.entries(addresses).reduce((replaced, [from, to]) => replaced.replaceAll(from, to), text),
    });
    const body = (await response.json()) as CookbookAgent;
    expect({ status: response.status, body }).toMatchObject({ status: 201 });
    return body;
  }

  ended(run: string): Promise<EndedRun> {
    return eventually(async () => {
      const shown = await this.stage.client.expect<EndedRun>('GET', `/v1/runs/${run}`);
      expect(shown.ended_at).not.toBeNull();
      return shown;
    }, WITHIN);
  }

  /** Starts a run as a schedule trigger would, and waits until the run has ended. */
  async fire({ id }: CookbookAgent, trigger: string): Promise<EndedRun> {
    const run = await this.stage.client.expect<{ id: string }>('POST', `/v1/agents/${id}/triggers/${trigger}/run`);
    return this.ended(run.id);
  }

  async runOf({ id }: CookbookAgent, input: JsonObject): Promise<EndedRun> {
    return this.ended((await this.stage.client.startRun(id, input)).id);
  }

  /** Waits until `count` runs of the agent have ended, and returns them, oldest first. */
  runsOf({ id }: CookbookAgent, count: number): Promise<EndedRun[]> {
    return eventually(async () => {
      const path = `/v1/runs?agent=${id}&limit=100&order=asc`;
      const { data } = await this.stage.client.expect<{ data: EndedRun[] }>('GET', path);
      expect(data.filter(({ ended_at: at }) => at !== null)).toHaveLength(count);
      return data;
    }, WITHIN);
  }

  /** Evaluates version 1 of the agent, and expects that it passes the promotion gate of its definition. */
  async passesItsGate({ id }: CookbookAgent): Promise<void> {
    const { client } = this.stage;
    const { id: evaluation } = await client.expect<Evaluation>('POST', `/v1/agents/${id}/versions/1/evaluate`);
    const ended = await eventually(async () => {
      const shown = await client.expect<Evaluation>('GET', `/v1/evaluations/${evaluation}`);
      expect(shown.ended_at).not.toBeNull();
      return shown;
    }, WITHIN);
    // If the result of the gate differs, the message of the failed assertion contains the whole evaluation.
    expect({ ...ended, result: ended.gate.result }).toMatchObject({ result: 'passed' });
  }

  /** Waits until an approval of this kind is open, and decides it. Returns the request of the approved call. */
  async decide(kind: string, decision: JsonObject): Promise<JsonObject | null> {
    const { client } = this.stage;
    const { id, run, request } = await eventually(async () => {
      const { data } = await client.expect<{ data: OpenApproval[] }>('GET', '/v1/approvals?status=open');
      const found = data.find((approval) => approval.kind === kind);
      if (found) return found;
      throw new Error(`No approval of the kind ${kind} is open, only ${JSON.stringify(data)}.`);
    }, WITHIN);
    await client.expect('POST', `/v1/runs/${run}/approvals/${id}`, decision);
    return request;
  }

  /** Creates a connection for the agent, and authorises it as a person would. */
  async connect(name: string, agent: string): Promise<void> {
    const connection: JsonObject = { name, provider: 'google', agents: [`name:${agent}`] };
    const { authorize_url: url } = await this.stage.client.expect<{ authorize_url: string }>(
      'POST',
      '/v1/connections',
      connection,
    );
    const browser = new Browser(() => ({ [PUBLIC_ORIGIN]: this.stack.baseUrl }));
    expect(await browser.open(url)).toMatchObject({ status: 200 });
  }

  /**
   * Serves four feeds: RSS with an old article and an article that is `hoursAgo` old, Atom with an article that is
   * `hoursAgo` old, a server error, and a page that is not a feed.
   */
  serveFeeds(hoursAgo: number): void {
    const time = new Date(Date.now() - hoursAgo * 3_600_000);
    const item = (title: string, n: number, date: string) =>
      `<item><title><![CDATA[${title}]]></title><link>https://a.example/${n}</link><pubDate>${date}</pubDate></item>`;
    const old = item('Too old', 1, 'Fri, 02 Jan 2026 08:00:00 GMT');
    const rss = `<rss version="2.0"><channel>${old}${item('News of RSS', 2, time.toUTCString())}</channel></rss>`;
    const entry = `<title type="html">News of Atom</title><link href="https://a.example/3" rel="alternate"/>`;
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><entry>${entry}<updated>${time.toISOString()}</updated></entry></feed>`;
    this.site.set('/rss', { body: rss, type: 'application/rss+xml' });
    this.site.set('/atom', { body: atom, type: 'application/atom+xml' });
    this.site.set('/down', (_, response) => void response.writeHead(500).end());
    this.site.set('/html', { body: '<!doctype html><p>Please log in' });
  }
}

/** Returns everything that the model received in this request, as JSON. */
export function promptOf(request: TurnRequest | undefined): string {
  return JSON.stringify(request?.messages ?? null);
}

export function json(text: string | undefined): JsonValue {
  return JSON.parse(text ?? 'null') as JsonValue;
}

function environment(mail: MailServer, oauth: OauthServer, port: number): Record<string, string> {
  const google = {
    title: 'Google',
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    authorize_url: `${oauth.url}/auth`,
    token_url: `${oauth.url}/token`,
    issuer: oauth.url,
    scopes: ['openid', 'offline_access', 'read'],
    authorize_parameters: { prompt: 'login' },
  };
  return {
    EGRESS_ALLOW: '127.0.0.1/32,::1/128',
    SMTP_RELAY_URL: mail.url,
    SMTP_LISTEN_PORT: String(port),
    ...SELF_SIGNED,
    PUBLIC_URL: PUBLIC_ORIGIN,
    OAUTH_PROVIDERS: `providers: ${JSON.stringify({ google })}`,
  };
}

async function putSecrets({ client, scene }: ModelScene, database: TestDatabase): Promise<void> {
  const secrets = {
    UPSTREAM_TOKEN: 'upstream-token-1',
    CUSTOMERS_DSN: database.url,
    HUBSPOT_TOKEN: 'hubspot-token-1',
    GITLAB_TOKEN: 'gitlab-token-1',
    CAREERS_SITE: 'careers-site-1',
    AIRTABLE_TOKEN: 'airtable-token-1',
    SLACK_WEBHOOK_URL: `${scene.ledger.url}/slack/T0/B0/x`,
    BRAVE_TOKEN: 'brave-token-1',
  };
  for (const [name, value] of Object.entries(secrets)) await client.expect('PUT', `/v1/secrets/${name}`, { value });
}
