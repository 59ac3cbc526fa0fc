import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JsonObject, JsonValue } from '@app/kernel';
import { simpleParser } from 'mailparser';
import { Client } from 'pg';
import type { ApiClient, RunAnswer } from './api-client.js';
import { Browser } from './browser.js';
import { eventually } from './eventually.js';
import type { Ledger } from './ledger.js';
import { MailSender } from './mail/mail-sender.js';
import { MailServer, type ReceivedMail } from './mail-server.js';
import { ModelScene } from './model-scene.js';
import type { ModelServer, TurnRequest } from './model-server.js';
import type { ScriptedTurn } from './model-wire.js';
import { OauthServer } from './oauth-server.js';
import { createEmptyTestDatabase, type TestDatabase } from './postgres.js';
import { endAll } from './scene.js';
import { SiteServer } from './site-server.js';
import type { Service } from './stack.js';

const WITHIN = { within: 180_000 };

export const SECRETS = {
  ARCHIVE_TOKEN: 'archive-token-1',
  AIRTABLE_TOKEN: 'airtable-token-1',
  AWS_ACCESS_KEY_ID: 'AKIAEXPORTS',
  AWS_SECRET_ACCESS_KEY: 'aws-secret-1',
  BRAVE_TOKEN: 'brave-token-1',
  CAREERS_SITE: 'careers-site-1',
  GITLAB_TOKEN: 'gitlab-token-1',
  HUBSPOT_TOKEN: 'hubspot-token-1',
  JIRA_API_TOKEN: 'jira-token-4711',
  JIRA_USERNAME: 'bot@acme.example',
  LINEAR_API_KEY: 'lin_api_linear-key-1',
  LINEAR_WEBHOOK_SECRET: 'linear-webhook-secret-1',
  LLAMA_CLOUD_API_KEY: 'llama-key-4711',
  NOTION_API_TOKEN: 'notion-token-4711',
  SHOPIFY_ACCESS_TOKEN: 'shopify-token-4711',
  SHOP_TOKEN: 'shop-token-1',
  SLACK_BOT_TOKEN: 'xoxb-slack-token-1',
  SLACK_SIGNING_SECRET: 'slack-signing-secret-1',
  STRIPE_API_KEY: 'stripe-key-4711',
  TAVILY_API_KEY: 'tavily-key-4711',
  TELEGRAM_BOT_TOKEN: '123456:telegram-token-1',
  UPSTREAM_TOKEN: 'upstream-token-1',
  VANCINE_KEY: 'vancine-key-1',
  ZENDESK_TOKEN: 'zendesk-token-1',
};

/**
 * Hosts in the definitions, each with the path of the ledger that replaces the host. The root of the ledger replaces
 * the other hosts of HTTP tools.
 */
const LEDGER_PATHS = {
  'https://acme.atlassian.net': '/jira',
  'https://api.notion.com': '/notion',
  'https://api.stripe.com': '/stripe',
  'https://my-store.myshopify.com': '/shopify',
  'https://api.cloud.llamaindex.ai': '/llama',
  'https://sheets.googleapis.com': '/sheets',
  'https://api.tavily.com': '/tavily',
};

export const ALL_PASSED = { status: 'passed', gate: 'passed', failed: [] };

export type CookbookRun = RunAnswer & {
  input: JsonObject;
  approvals: { id: string; status: string }[];
  cost: { amount: string };
  started_at: string;
};

export interface CookbookAgent {
  id: string;
  secret: string;
}

export interface WebhookCall {
  status: number;
  json: Record<string, unknown>;
}

interface Evaluation {
  id: string;
  ended_at: string | null;
  status: string;
  gate: { result: string | null };
  results: { case: string; status: string; trials: { error: string | null; assertions: JsonObject[] }[] }[];
}

interface OpenApproval {
  id: string;
  run: string;
  kind: string;
  request: JsonObject | null;
}

/**
 * The service and the servers that the agents of docs/cookbook call. These are one server for all HTTP APIs, a model,
 * and servers for mail, feeds, OAuth and a database.
 */
export class Cookbook {
  private constructor(
    private readonly stage: ModelScene,
    readonly mail: MailServer,
    readonly sender: MailSender,
    readonly site: SiteServer,
    readonly oauth: OauthServer,
    private readonly database: TestDatabase,
    private readonly ends: (() => Promise<void>)[],
  ) {}

  static async start(): Promise<Cookbook> {
    const ends: (() => Promise<void>)[] = [];
    try {
      const mail = await MailServer.start();
      ends.push(() => mail.close());
      const site = await SiteServer.start();
      ends.push(() => site.stop());
      const database = await createEmptyTestDatabase();
      ends.push(() => database.drop());
      const stage = await ModelScene.start();
      ends.push(() => stage.stop());
      const { stack } = stage.scene;
      await stack.lead('mail', mail.url);
      const oauth = await OauthServer.startFor(stack);
      ends.push(() => oauth.stop());
      const cookbook = new Cookbook(stage, mail, new MailSender(stack.smtpPort), site, oauth, database, ends);
      await cookbook.storeSecrets();
      return cookbook;
    } catch (error) {
      await endAll(ends).catch(() => undefined);
      throw error;
    }
  }

  get stack(): Service {
    return this.stage.scene.stack;
  }

  get client(): ApiClient {
    return this.stage.client;
  }

  get ledger(): Ledger {
    return this.stage.scene.ledger;
  }

  get models(): ModelServer {
    return this.stage.models;
  }

  async openDatabase(): Promise<Client> {
    const client = new Client({ connectionString: this.database.url });
    await client.connect();
    this.ends.push(() => client.end());
    return client;
  }

  /**
   * Creates the agent of a cookbook file. The definition differs from the file only in the addresses of its servers.
   * The keys of `addresses` are parts of the file, which are replaced by the values.
   */
  async create(name: string, addresses: Readonly<Record<string, string>> = {}): Promise<CookbookAgent> {
    let text = await readFile(`docs/cookbook/${name}.yaml`, 'utf8');
    for (const [from, to] of Object.entries(addresses)) {
      if (!text.includes(from)) throw new Error(`${name} does not contain ${from}.`);
      text = text.replaceAll(from, to);
    }
    for (const [host, path] of Object.entries(LEDGER_PATHS)) text = text.replaceAll(host, this.ledger.url + path);
    const response = await fetch(`${this.stack.baseUrl}/v1/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.client.key}`, 'content-type': 'application/yaml' },
      body: text.replaceAll(/(base_url: "?)https:\/\/[^/"\s]+/g, `$1${this.ledger.url}`),
    });
    const body = (await response.json()) as { id: string; webhook_secret: string };
    if (response.status !== 201) throw new Error(`${name} was refused: ${JSON.stringify(body)}`);
    return { id: body.id, secret: body.webhook_secret };
  }

  async run({ id }: CookbookAgent, input: JsonObject = {}): Promise<CookbookRun> {
    return this.ended((await this.client.startRun(id, input)).id);
  }

  async fire({ id }: CookbookAgent, trigger: string): Promise<string> {
    return (await this.client.expect<{ id: string }>('POST', `/v1/agents/${id}/triggers/${trigger}/run`)).id;
  }

  async runTrigger(agent: CookbookAgent, trigger: string): Promise<CookbookRun> {
    return this.ended(await this.fire(agent, trigger));
  }

  ended(id: string): Promise<CookbookRun> {
    return eventually(async () => {
      const run = (await this.client.run(id)) as CookbookRun;
      if (run.ended_at !== null) return run;
      throw new Error(`The run ${id} is ${run.status}.`);
    }, WITHIN);
  }

  async runsOf({ id }: CookbookAgent): Promise<CookbookRun[]> {
    const path = `/v1/runs?agent=${id}&limit=100&order=asc`;
    return (await this.client.expect<{ data: CookbookRun[] }>('GET', path)).data;
  }

  /** Waits until the agent has `count` runs and all of them have ended. Returns them, oldest first. */
  endedRuns(agent: CookbookAgent, count: number): Promise<CookbookRun[]> {
    return eventually(async () => {
      const runs = await this.runsOf(agent);
      const ended = runs.filter(({ ended_at: at }) => at !== null).length;
      if (ended === count && runs.length === count) return runs;
      throw new Error(`${ended} of ${runs.length} runs have ended, not ${count}.`);
    }, WITHIN);
  }

  post(
    { id }: CookbookAgent,
    body: string | URLSearchParams | FormData,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    return fetch(`${this.stack.baseUrl}/v1/agents/${id}/trigger`, { method: 'POST', headers, body });
  }

  /** Calls the webhook trigger of the agent with JSON or a form. Returns the JSON of the response. */
  async trigger(
    agent: CookbookAgent,
    body: string | URLSearchParams,
    headers: Readonly<Record<string, string>>,
  ): Promise<WebhookCall> {
    const type: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const response = await this.post(agent, body, { ...type, ...headers });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  }

  async poll({ id }: CookbookAgent, path: string): Promise<void> {
    const before = this.ledger.callsOf(path).length;
    await this.stack.query(
      'update poll_watches set due_at = clock_timestamp() where agent_id = $1 and worker is null',
      [id],
    );
    await this.ledger.called(path, before + 1);
    await this.polled(id);
  }

  polled(agent: string): Promise<void> {
    const open = 'select from poll_watches where agent_id = $1 and (worker is not null or due_at <= clock_timestamp())';
    return eventually(async () => {
      if ((await this.stack.query(open, [agent])).length > 0) throw new Error('A poll has no outcome yet.');
    }, WITHIN);
  }

  /** Evaluates version 1. Returns the status of the evaluation, the result of the gate, and the cases that failed. */
  async evaluate({
    id,
  }: CookbookAgent): Promise<{ status: string; gate: string | null; failed: Evaluation['results'] }> {
    const started = await this.client.expect<Evaluation>('POST', `/v1/agents/${id}/versions/1/evaluate`);
    const { status, gate, results } = await eventually(async () => {
      const shown = await this.client.expect<Evaluation>('GET', `/v1/evaluations/${started.id}`);
      if (shown.ended_at !== null) return shown;
      throw new Error(`The evaluation ${started.id} has not ended.`);
    }, WITHIN);
    if (results.length === 0) throw new Error(`The evaluation ${started.id} has no results.`);
    return { status, gate: gate.result, failed: results.filter((result) => result.status !== 'passed') };
  }

  /** Waits until an approval of this run or kind is open, and decides it as `person`. Returns the approval. */
  async decide(
    wanted: { run: string } | { kind: string },
    decision: JsonObject,
    person: ApiClient = this.client,
  ): Promise<OpenApproval> {
    const approval = await eventually(async () => {
      const { data } = await person.expect<{ data: OpenApproval[] }>('GET', '/v1/approvals?status=open');
      const found = data.find((each) => ('run' in wanted ? each.run === wanted.run : each.kind === wanted.kind));
      if (found) return found;
      throw new Error(`No approval of ${JSON.stringify(wanted)} is open, only ${JSON.stringify(data)}.`);
    }, WITHIN);
    await person.expect('POST', `/v1/runs/${approval.run}/approvals/${approval.id}`, decision);
    return approval;
  }

  /** Waits until the run has an open approval or question whose id is not `last`. Returns its id. */
  waiting(id: string, last?: string): Promise<string> {
    return eventually(async () => {
      const { approvals, status } = (await this.client.run(id)) as CookbookRun;
      const open = approvals.find((approval) => approval.status === 'open' && approval.id !== last);
      if (open) return open.id;
      throw new Error(`The run ${id} is ${status} and has no open approval.`);
    }, WITHIN);
  }

  async connect(name: string, agents: string[]): Promise<void> {
    const { id, authorize_url: url } = await this.client.expect<{ id: string; authorize_url: string }>(
      'POST',
      '/v1/connections',
      { name, provider: 'google_drive', agents },
    );
    const page = await new Browser().open(url);
    if (page.status !== 200) throw new Error(`The authorisation failed: ${page.text}`);
    const { status } = await this.client.expect<{ status: string }>('GET', `/v1/connections/${id}`);
    if (status !== 'active') throw new Error(`The connection ${name} is ${status}.`);
  }

  async createBase(name: string, texts: Record<string, string>, access: JsonObject): Promise<void> {
    const { id } = await this.client.expect<{ id: string }>('POST', '/v1/knowledge-bases', { name });
    const sources = `/v1/knowledge-bases/${id}/sources`;
    const source = await this.client.expect<{ id: string }>('POST', sources, { connector: 'upload' });
    for (const [title, text] of Object.entries(texts))
      await this.client.expect('POST', `${sources}/${source.id}/documents`, { name: `${title}.md`, text });
    await this.grant(id, access);
    await eventually(async () => {
      const base = await this.client.expect<JsonObject>('GET', `/v1/knowledge-bases/${id}`);
      if (base.document_count !== Object.keys(texts).length) throw new Error(`${name} is not indexed yet.`);
    }, WITHIN);
  }

  async createBaseOf(name: string, techniques: JsonObject[]): Promise<string> {
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
    return id;
  }

  /** Sets the readers of the knowledge base. The admin is one of them, because the runs of the admin read it. */
  async grant(base: string, access: JsonObject): Promise<void> {
    const { member } = await this.client.expect<{ member: string }>('GET', '/v1/me');
    await this.client.expect('PUT', `/v1/knowledge-bases/${base}/access`, { users: [member], ...access });
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

  bodiesOf(path: string): JsonObject[] {
    return this.ledger.callsOf(path).map(({ body }) => JSON.parse(body) as JsonObject);
  }

  reset(): void {
    this.stage.reset();
    this.mail.reset();
    this.site.clear();
  }

  stop(): Promise<void> {
    return endAll(this.ends);
  }

  private async storeSecrets(): Promise<void> {
    const { url } = this.database;
    const addresses = { SLACK_WEBHOOK_URL: `${this.ledger.url}/slack`, CUSTOMERS_DSN: url, INCIDENTS_DSN: url };
    for (const [name, value] of Object.entries({ ...SECRETS, ...addresses }))
      await this.client.expect('PUT', `/v1/secrets/${name}`, { value });
  }
}

export function promptOf(request: TurnRequest | undefined): string {
  return JSON.stringify(request?.messages ?? null);
}

export function turn(answer: JsonObject): ScriptedTurn {
  return { text: JSON.stringify(answer) };
}

export function json(text: string | undefined): JsonValue {
  return JSON.parse(text ?? 'null') as JsonValue;
}

export async function mailText(mail: ReceivedMail | undefined): Promise<string> {
  return ((await simpleParser(mail?.raw ?? '')).text ?? '').trim();
}

export function signedBySlack(body: string, secret: string): Record<string, string> {
  const at = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': `v0=${signature}` };
}

export function signedByLinear(body: string, secret: string): Record<string, string> {
  return { 'linear-signature': createHmac('sha256', secret).update(body).digest('hex') };
}
