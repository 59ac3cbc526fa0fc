import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SiteServer } from './site-server.js';

/** An OAuth provider with the name `small`, as an operator can configure it. It accepts any authorisation code. */
export class SmallProvider {
  private constructor(
    private readonly site: SiteServer,
    private readonly folder: string,
  ) {}

  static async start(): Promise<SmallProvider> {
    const [site, folder] = await Promise.all([SiteServer.start(), mkdtemp(join(tmpdir(), 'provider-'))]);
    site.set('/token', { body: '{"access_token": "a", "token_type": "Bearer"}', type: 'application/json' });
    const api = {
      base_url: site.url,
      scope: { field: 'folders', everything: 'all' },
      list: { path: '/list' },
      item: { key: '{/id}' },
      contents: [{ when: { value: '{/id}', matches: '.' }, path: '/item/{/id}' }],
    };
    const small = {
      title: 'Small',
      client_id: 'agents',
      authorize_url: `${site.url}/auth`,
      token_url: `${site.url}/token`,
      api,
    };
    await writeFile(join(folder, 'providers.yaml'), JSON.stringify({ providers: { small } }));
    return new SmallProvider(site, folder);
  }

  /** Environment variables that make the service use this provider. */
  get env(): Record<string, string> {
    return { OAUTH_PROVIDERS: join(this.folder, 'providers.yaml'), EGRESS_ALLOW: '127.0.0.1/32' };
  }

  async stop(): Promise<void> {
    await this.site.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
