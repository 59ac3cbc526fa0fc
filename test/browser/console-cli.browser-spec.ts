import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

/**
 * Acts like the command `aas login` on this computer: creates a verifier and its challenge, and waits for one request
 * of the browser.
 */
class CommandLine {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly answer: Promise<URLSearchParams>;
  private readonly server: Server;

  constructor() {
    this.server = createServer().listen(0, '127.0.0.1');
    this.answer = new Promise((resolve) => {
      this.server.once('request', (request, response) => {
        resolve(new URL(request.url ?? '', 'http://127.0.0.1').searchParams);
        response.setHeader('content-type', 'text/html');
        response.end('<!doctype html><title>Signed in</title>');
      });
    });
  }

  get challenge(): string {
    return createHash('sha256').update(this.verifier).digest('base64url');
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

describeInBrowser('the sign-in of the command line', () => {
  let scene: ConsoleScene;
  let cli: CommandLine;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
  });
  beforeEach(() => {
    cli = new CommandLine();
  });
  afterEach(async () => {
    await scene.closePages();
    cli.stop();
  });
  afterAll(() => scene.stop());

  const redeem = (code: string) =>
    scene.stack.client.expect<{ api_key: string; key: object }>('POST', '/auth/cli/token', {
      code,
      verifier: cli.verifier,
    });
  const authorise = (page: Page) => page.getByRole('button', { name: 'Authorise' }).click();

  it('hands a code to the port of this computer', async () => {
    const context = await scene.signedIn(scene.stack.adminKey);
    const path = `/console/cli?port=${cli.port}&challenge=${cli.challenge}&state=st%2Fate&name=ada-laptop`;
    const { page, errors } = await scene.open(context, path);
    await page.getByRole('heading', { level: 1, name: 'Authorise the command line' }).waitFor();
    const main = page.getByRole('main');
    for (const text of ['ada-laptop', 'admin', 'in 90 days']) await main.getByText(text).first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Authorise' }).focus();
    await page.keyboard.press('Enter');
    const answer = await cli.answer;
    expect(answer.get('state')).toBe('st/ate');
    expect(errors).toEqual([]);
    expect((await redeem(answer.get('code') ?? '')).key).toMatchObject({ name: 'CLI on ada-laptop', role: 'admin' });
  });

  it('shows the code to paste where the command line has no port', async () => {
    const context = await scene.signedIn(scene.stack.adminKey);
    const { page, errors } = await scene.open(context, `/console/cli?challenge=${cli.challenge}&name=server`);
    await authorise(page);
    const code = await page.getByRole('group', { name: 'Code' }).locator('code').innerText();
    expect((await redeem(code)).key).toMatchObject({ name: 'CLI on server' });
    expect(errors).toEqual([]);
  });

  it('asks for a sign-in first, and returns to the request', async () => {
    const context = await scene.newContext();
    const { page } = await scene.open(context, `/console/cli?challenge=${cli.challenge}&name=server`);
    await page.getByRole('button', { name: 'Use an API key instead' }).click();
    await page.getByRole('textbox', { name: 'API key' }).fill(scene.stack.adminKey);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await authorise(page);
    await page.getByRole('group', { name: 'Code' }).waitFor();
  });

  it('authorises nothing for an address that names another computer, and shows the refusal of a challenge', async () => {
    const context = await scene.signedIn(scene.stack.adminKey);
    const { page } = await scene.open(context, `/console/cli?challenge=${cli.challenge}&name=x&port=80@example.com`);
    await page.getByRole('alert').getByText('port').waitFor();
    expect(await page.getByRole('button', { name: 'Authorise' }).count()).toBe(0);
    await page.goto('/console/cli?challenge=short&name=x');
    await authorise(page);
    await page.getByRole('alert').getByText('challenge').waitFor();
  });
});
