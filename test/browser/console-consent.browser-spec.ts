import type { BrowserContext, Page } from 'playwright-core';
import { PUBLIC_URL, RawOauthClient, REDIRECT, signedIn } from '../support/mcp-oauth-client.js';
import type { Stack } from '../support/stack.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

const AGENT = { description: 'Answers.', expose: { mcp: {} }, steps: [{ id: 'result', output: {} }] };

describeInBrowser('the page on which a person gives an assistant access', () => {
  let scene: ConsoleScene<Stack>;
  let client: RawOauthClient;
  let refunds: string;

  beforeAll(async () => {
    scene = await ConsoleScene.alone({
      why: 'OAuth is on, and PUBLIC_URL is https',
      env: { MCP_OAUTH: 'on', PUBLIC_URL, RATE_LIMIT_SIGN_IN: '0' },
    });
    const { stack } = scene;
    refunds = await stack.client.createAgent({ name: 'refund-desk', ...AGENT });
    await stack.client.createAgent({ name: 'newsletter', ...AGENT });
    const registered = { name: 'Assistant', redirect_uris: [REDIRECT] };
    const { client_id: id } = await stack.client.expect<{ client_id: string }>('POST', '/v1/oauth-clients', registered);
    client = new RawOauthClient(stack, id);
  });
  afterAll(() => scene.stop());

  /** Returns a browser that reaches the service at its public address, and shows where the client is redirected to. */
  async function aBrowser(email: string, role: string, options = {}): Promise<BrowserContext> {
    const { stack } = scene;
    const context = await scene.newContext({ baseURL: PUBLIC_URL, ...options });
    await context.route(`${PUBLIC_URL}/**`, async (route) => {
      const url = route.request().url().replace(PUBLIC_URL, stack.baseUrl);
      const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' };
      await route.fulfill({ response: await route.fetch({ url, headers, maxRedirects: 0 }) });
    });
    await context.route(`${REDIRECT}**`, (route) => route.fulfill({ body: 'Connected' }));
    const person = await signedIn(stack, email, role);
    const [name = '', value = ''] = person.cookieHeader.split('=');
    await context.addCookies([{ name, value, url: PUBLIC_URL, secure: true, httpOnly: true, sameSite: 'Strict' }]);
    return context;
  }

  /** The page may still read lists, and the end of their requests would fail the test. */
  async function close(context: BrowserContext): Promise<void> {
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  }

  const consent = async (context: BrowserContext, asking = client): Promise<{ page: Page; errors: string[] }> => {
    const opened = await scene.open(context, `/console/consent?request=${await asking.ask()}`);
    await opened.page.getByRole('heading', { level: 1, name: 'Give access to an assistant' }).waitFor();
    return opened;
  };
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const returned = async (page: Page): Promise<URLSearchParams> => {
    await page.waitForURL(`${REDIRECT}**`);
    return new URL(page.url()).searchParams;
  };

  it('names the assistant and gives it the chosen agents', async () => {
    const context = await aBrowser('olga@example.com', 'operator');
    const { page, errors } = await consent(context);
    const main = page.getByRole('main');
    for (const text of ['127.0.0.1:4711', 'Assistant', `${PUBLIC_URL}/v1/mcp`, 'olga@example.com'])
      await main.getByText(text).first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const allow = page.getByRole('button', { name: 'Allow', exact: true });
    expect(await allow.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('checkbox', { name: 'refund-desk' }).check();
    await allow.click();
    const answer = await returned(page);
    expect(answer.get('state')).toBe('a state');
    const { body } = await client.redeem(answer.get('code') ?? '');
    expect((await client.listTools((body as { access_token: string }).access_token)).status).toBe(200);
    const { data } = await scene.stack.client.expect<{ data: object[] }>('GET', '/v1/api-keys');
    expect(data).toContainEqual(expect.objectContaining({ kind: 'mcp', agents: [refunds] }));
    expect(errors).toEqual([]);
    await close(context);
  });

  it('returns a denial, and knows a request once', async () => {
    const context = await aBrowser('olga@example.com', 'operator');
    const { page } = await consent(context);
    const address = page.url();
    await press(page, 'Deny');
    expect((await returned(page)).get('error')).toBe('access_denied');
    await page.goto(address);
    await page.getByRole('alert').getByText('The request does not exist').waitFor();
    await close(context);
  });

  it('lets only builders give access to build agents', async () => {
    const author = new RawOauthClient(scene.stack, client.clientId, `${PUBLIC_URL}/v1/mcp/author`);
    const context = await aBrowser('olga@example.com', 'operator');
    const { page } = await consent(context, author);
    const allow = page.getByRole('button', { name: 'Allow', exact: true });
    expect(await allow.getAttribute('title')).toBe('Only builders can give access to build agents.');
    await close(context);
  });

  it('shows the access among the keys and the settings of assistants', async () => {
    const context = await aBrowser('ada@example.com', 'admin');
    const { page, errors } = await scene.open(context, '/console/settings/keys');
    const row = page.getByRole('row').filter({ hasText: 'olga@example.com' }).first();
    await row.getByText('assistant with OAuth').waitFor();
    await row.getByRole('button', { name: /^Actions of / }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Revoke']);
    await page.goto('/console/settings/mcp');
    await page.getByRole('heading', { name: 'OAuth' }).waitFor();
    expect(errors).toEqual([]);
    await close(context);
  });
});
