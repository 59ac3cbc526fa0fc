import { readFile } from 'node:fs/promises';
import type { JsonObject } from '@app/kernel';
import { simpleParser } from 'mailparser';
import type { ApiClient, RunAnswer } from './api-client.js';
import { Browser } from './browser.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import type { Ledger } from './ledger.js';
import { MailSender } from './mail/mail-sender.js';
import { MailServer, type ReceivedMail } from './mail-server.js';
import { ModelScene } from './model-scene.js';
import type { ModelServer, TurnRequest } from './model-server.js';
import type { ScriptedTurn } from './model-wire.js';
import { CLIENT, OauthServer } from './oauth-server.js';
import { createEmptyTestDatabase, type TestDatabase } from './postgres.js';
import { endAll } from './scene.js';
import type { Stack } from './stack.js';

const WITHIN = { within: 180_000 };
const PUBLIC = 'http://agents.example.test';
/** Name of the mail relay whose results of SPF, DKIM and DMARC checks the service trusts. */
export const RELAY = 'mx.example.com';

/** Hosts in the definitions, each with the path of the ledger that replaces the host. */
const ADDRESSES = {
  'https://acme.atlassian.net': '/jira',
  'https://api.notion.com': '/notion',
  'https://api.stripe.com': '/stripe',
  'https://my-store.myshopify.com': '/shopify',
  'https://api.cloud.llamaindex.ai': '/llama',
  'https://sheets.googleapis.com': '/sheets',
  'https://api.tavily.com': '/tavily',
};

export type CookbookRun = RunAnswer & { input: JsonObject; approvals: { id: string; status: string }[] };

export interface CookbookAgent {
  id: string;
  secret: string;
}

interface Evaluation {
  id: string;
  ended_at: string | null;
  results: { case: string; status: string; trials: { error: string | null; assertions: JsonObject[] }[] }[];
}

/** The service with all servers that the cookbook agents of the group `support` need. */
export class CookbookSupport {
  private constructor(
    private readonly stage: ModelScene,
    readonly mail: MailServer,
    readonly sender: MailSender,
    /** Database that the tool `incidents` reads. */
    readonly incidents: TestDatabase,
    private readonly ends: (() => Promise<void>)[],
  ) {}

  static async start(): Promise<CookbookSupport> {
    const ends: (() => Promise<void>)[] = [];
    try {
      const mail = await MailServer.start();
      ends.push(() => mail.close());
      const google = await OauthServer.start(`${PUBLIC}/v1/oauth/callback`);
      ends.push(() => google.stop());
      const incidents = await createEmptyTestDatabase();
      ends.push(() => incidents.drop());
      const port = await freePort();
      const stage = await ModelScene.start({
        env: {
          EGRESS_ALLOW: '127.0.0.1/32,::1/128',
          PUBLIC_URL: PUBLIC,
          SMTP_RELAY_URL: mail.url,
          SMTP_LISTEN_PORT: String(port),
          SMTP_TRUSTED_RELAYS: RELAY,
          OAUTH_PROVIDERS: `providers: ${JSON.stringify({ google: providerOf(google) })}`,
        },
      });
      ends.push(() => stage.stop());
      const cookbook = new CookbookSupport(stage, mail, new MailSender(port), incidents, ends);
      await cookbook.storeSecrets();
      await cookbook.connect();
      return cookbook;
    } catch (error) {
      await endAll(ends).catch(() => undefined);
      throw error;
    }
  }

  get stack(): Stack {
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

  /**
   * Creates the agent of a cookbook file. The definition differs from the file only in the addresses of its servers.
   */
  async create(name: string): Promise<CookbookAgent> {
    let text = await readFile(`docs/cookbook/${name}.yaml`, 'utf8');
    for (const [address, path] of Object.entries(ADDRESSES)) text = text.replaceAll(address, this.ledger.url + path);
    const response = await fetch(`${this.stack.baseUrl}/v1/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.client.key}`, 'content-type': 'application/yaml' },
      body: text.replace('[www.example.com, "*.example.com"]', '[127.0.0.1]'),
    });
    const body = (await response.json()) as { id: string; webhook_secret: string };
    if (response.status !== 201) throw new Error(`${name} is not accepted: ${JSON.stringify(body)}`);
    return { id: body.id, secret: body.webhook_secret };
  }

  /** Creates a knowledge base with these readers, and waits until a search finds its documents. */
  async createBase(name: string, texts: Record<string, string>, access: JsonObject): Promise<void> {
    const { id } = await this.client.expect<{ id: string }>('POST', '/v1/knowledge-bases', { name });
    const sources = `/v1/knowledge-bases/${id}/sources`;
    const source = await this.client.expect<{ id: string }>('POST', sources, { connector: 'upload' });
    for (const [title, text] of Object.entries(texts))
      await this.client.expect('POST', `${sources}/${source.id}/documents`, { name: `${title}.md`, text });
    const { member } = await this.client.expect<{ member: string }>('GET', '/v1/me');
    await this.client.expect('PUT', `/v1/knowledge-bases/${id}/access`, { users: [member], ...access });
    await eventually(async () => {
      const base = await this.client.expect<JsonObject>('GET', `/v1/knowledge-bases/${id}`);
      if (base.document_count !== Object.keys(texts).length) throw new Error(`${name} is not indexed yet.`);
    }, WITHIN);
  }

  async run(agent: CookbookAgent, input: JsonObject = {}): Promise<CookbookRun> {
    return this.ended((await this.client.startRun(agent.id, input)).id);
  }

  /** Starts a run with the input of the schedule, and returns the id of the run. */
  async fire({ id }: CookbookAgent, trigger: string): Promise<string> {
    return (await this.client.expect<{ id: string }>('POST', `/v1/agents/${id}/triggers/${trigger}/run`)).id;
  }

  ended(id: string): Promise<CookbookRun> {
    return eventually(async () => {
      const run = (await this.client.run(id)) as CookbookRun;
      if (run.ended_at !== null) return run;
      throw new Error(`The run ${id} is ${run.status}.`);
    }, WITHIN);
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

  /** Returns the runs of the agent, oldest first. */
  async runsOf({ id }: CookbookAgent): Promise<CookbookRun[]> {
    return (await this.client.expect<{ data: CookbookRun[] }>('GET', `/v1/runs?agent=${id}&order=asc`)).data;
  }

  /** Evaluates version 1 of the agent. Returns the cases that did not pass, with the reasons. */
  async failedCases({ id }: CookbookAgent): Promise<Evaluation['results']> {
    const { id: evaluation } = await this.client.expect<Evaluation>('POST', `/v1/agents/${id}/versions/1/evaluate`);
    const { results } = await eventually(async () => {
      const shown = await this.client.expect<Evaluation>('GET', `/v1/evaluations/${evaluation}`);
      if (shown.ended_at !== null) return shown;
      throw new Error(`The evaluation ${evaluation} has not ended.`);
    }, WITHIN);
    if (results.length === 0) throw new Error(`The evaluation ${evaluation} has no results.`);
    return results.filter(({ status }) => status !== 'passed');
  }

  /** Returns the JSON bodies that the ledger received at a path. */
  bodiesOf(path: string): JsonObject[] {
    return this.ledger.callsOf(path).map(({ body }) => JSON.parse(body) as JsonObject);
  }

  reset(): void {
    this.stage.reset();
    this.mail.reset();
  }

  stop(): Promise<void> {
    return endAll(this.ends);
  }

  private async storeSecrets(): Promise<void> {
    const secrets = {
      JIRA_USERNAME: 'bot@acme.example',
      JIRA_API_TOKEN: 'jira-token-4711',
      NOTION_API_TOKEN: 'notion-token-4711',
      STRIPE_API_KEY: 'stripe-key-4711',
      SHOPIFY_ACCESS_TOKEN: 'shopify-token-4711',
      LLAMA_CLOUD_API_KEY: 'llama-key-4711',
      TAVILY_API_KEY: 'tavily-key-4711',
      SLACK_WEBHOOK_URL: `${this.ledger.url}/slack`,
      INCIDENTS_DSN: this.incidents.url,
    };
    for (const [name, value] of Object.entries(secrets))
      await this.client.expect('PUT', `/v1/secrets/${name}`, { value });
  }

  /** Authorises the connection `google`, as a person would in a browser. */
  private async connect(): Promise<void> {
    const agents = ['name:lead-rescue', 'name:invoice-intake'];
    const body = { name: 'google', provider: 'google', agents };
    const { authorize_url: url } = await this.client.expect<{ authorize_url: string }>('POST', '/v1/connections', body);
    const page = await new Browser(() => ({ [PUBLIC]: this.stack.baseUrl })).open(url);
    if (page.status !== 200) throw new Error(`The authorisation failed: ${page.text}`);
  }
}

function providerOf({ url }: OauthServer): JsonObject {
  return {
    title: 'Google',
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    authorize_url: `${url}/auth`,
    token_url: `${url}/token`,
    issuer: url,
    scopes: ['openid', 'offline_access', 'read'],
    authorize_parameters: { prompt: 'login' },
  };
}

/** A turn in which the model answers with this object. */
export function turn(answer: JsonObject): ScriptedTurn {
  return { text: JSON.stringify(answer) };
}

export function promptOf({ messages }: TurnRequest): string {
  return JSON.stringify(messages);
}

export async function mailText(mail: ReceivedMail | undefined): Promise<string> {
  return ((await simpleParser(mail?.raw ?? '')).text ?? '').trim();
}
