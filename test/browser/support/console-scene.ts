import type { Browser, BrowserContext, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { endAll, opened, Scene, type SceneOptions } from '../../support/scene.js';
import type { SharedStack } from '../../support/shared-stack.js';
import type { Service, Stack } from '../../support/stack.js';
import { connectBrowser, missingBrowser } from '../../support/chromium.js';

/**
 * A page with its uncaught errors and the errors in its browser console, for example violations of its content security
 * policy. Failed requests do not count as errors.
 */
export interface WatchedPage {
  page: Page;
  errors: string[];
}

interface KeptPage {
  readonly page: Page;
  readonly viewport: ReturnType<Page['viewportSize']>;
  /** False while it belongs to a test. */
  isFree: boolean;
}

/** Time limit in milliseconds. It is long, because a busy machine is much slower than an idle one. */
const PATIENCE_MILLIS = 120_000;

/** The service in separate processes, and a browser that shows its console. */
export class ConsoleScene<S extends Service = SharedStack> {
  /** Contexts that the tests of a file share, by API key and options. */
  private readonly shared = new Map<string, Promise<BrowserContext>>();
  /** One page of each shared context. The tests that follow take it, because a new page takes a second of CPU time. */
  private readonly kept = new Map<BrowserContext, KeptPage>();

  private constructor(
    readonly scene: Scene<S>,
    readonly browser: Browser,
    private readonly ends: (() => Promise<void>)[],
  ) {}

  /** See {@link Scene.start}. */
  static start(): Promise<ConsoleScene> {
    return ConsoleScene.show(() => Scene.start());
  }

  /** See {@link Scene.alone}. */
  static alone(options: SceneOptions): Promise<ConsoleScene<Stack>> {
    return ConsoleScene.show(() => Scene.alone(options));
  }

  private static show<S extends Service>(start: () => Promise<Scene<S>>): Promise<ConsoleScene<S>> {
    return opened(async (ends) => {
      const scene = await start();
      ends.push(() => scene.stop());
      const browser = await connectBrowser();
      ends.push(() => browser.close());
      return new ConsoleScene(scene, browser, ends);
    });
  }

  get stack(): S {
    return this.scene.stack;
  }

  /**
   * Returns a browser context without cookies. It has a locale and a time zone, because without them `Intl` throws in
   * this Chromium.
   */
  async newContext(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      locale: 'en-GB',
      timezoneId: 'UTC',
      baseURL: this.scene.stack.baseUrl,
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MILLIS);
    return context;
  }

  /**
   * Returns the context that is signed in with this API key and has these options. Tests that follow get the same one,
   * because a sign-in and an empty cache take a second of CPU time. Use {@link signIn} for a test that changes the
   * context, or ends its session.
   */
  signedIn(apiKey: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const id = JSON.stringify([apiKey, options]);
    const context = this.shared.get(id) ?? this.signIn(apiKey, options);
    this.shared.set(id, context);
    return context;
  }

  /** Returns a new browser context that is signed in with this API key. */
  async signIn(apiKey: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const context = await this.newContext(options);
    const { baseUrl } = this.scene.stack;
    const answer = await context.request.post(`${baseUrl}/auth/key`, {
      data: { api_key: apiKey },
      headers: { origin: baseUrl, 'sec-fetch-site': 'same-origin', 'x-aas-console': '1' },
    });
    if (!answer.ok()) throw new Error(`POST /auth/key answered ${answer.status()}: ${await answer.text()}`);
    return context;
  }

  /** Shows the address in a page that belongs to the test until it calls {@link closePages}. */
  async open(context: BrowserContext, path: string): Promise<WatchedPage> {
    const page = await this.freePage(context);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        errors.push(message.text());
    });
    await page.goto(path);
    return { page, errors };
  }

  private async freePage(context: BrowserContext): Promise<Page> {
    const kept = this.kept.get(context);
    if (kept?.isFree) {
      kept.isFree = false;
      return kept.page;
    }
    const page = await context.newPage();
    if (kept === undefined) this.kept.set(context, { page, viewport: page.viewportSize(), isFree: false });
    return page;
  }

  /** Makes the sign-in so old that a sensitive request of the context needs a new one. */
  async ageSignIn({ request }: BrowserContext): Promise<void> {
    const headers = { 'sec-fetch-site': 'same-origin', 'x-aas-console': '1' };
    const listed = await request.get('/v1/sessions', { headers });
    const { data } = (await listed.json()) as { data: { id: string; current: boolean }[] };
    const current = data.find((session) => session.current)?.id;
    const earlier = `update sessions set signed_in_at = signed_in_at - interval '1 hour' where id = $1`;
    await this.stack.query(earlier, [current]);
    // The API caches the session for some seconds, so the change takes effect later.
    await eventually(async () => {
      const answer = await request.put('/v1/secrets/PROBE', { headers, data: { value: 'x' } });
      expect(answer.status()).toBe(403);
    });
  }

  /** Closes all pages, and the contexts that only one test uses. Call it after each test. */
  async closePages(): Promise<void> {
    const shared = new Set(await Promise.all(this.shared.values()));
    const closed = (context: BrowserContext): Promise<unknown> =>
      shared.has(context) ? this.emptied(context) : context.close();
    await Promise.all(this.browser.contexts().map(closed));
  }

  /** Closes the pages of a shared context except one, and removes what they have stored. */
  private async emptied(context: BrowserContext): Promise<void> {
    const kept = this.kept.get(context);
    for (const page of context.pages()) {
      // A page that has opened no address may not use the storage.
      await page.evaluate('localStorage.clear(); sessionStorage.clear()').catch(() => undefined);
      if (page !== kept?.page) await page.close();
    }
    if (kept === undefined || kept.isFree) return;
    for (const event of ['console', 'pageerror']) kept.page.removeAllListeners(event);
    // An address without scripts. It cannot be read if the test has ended the API or the page.
    if ((await kept.page.goto('/healthz').catch(() => null)) === null) {
      this.kept.delete(context);
      return kept.page.close();
    }
    if (kept.viewport !== null) await kept.page.setViewportSize(kept.viewport);
    kept.isFree = true;
  }

  async runReaches(run: string, status: string): Promise<void> {
    await eventually(async () => expect((await this.stack.client.run(run)).status).toBe(status));
  }

  stop(): Promise<void> {
    return endAll(this.ends);
  }
}

/** Like `describe`. If no browser can be started, skips the tests and logs the reason. */
export function describeInBrowser(title: string, cases: () => void): void {
  const reason = missingBrowser();
  if (reason === undefined) {
    describe(title, cases);
    return;
  }
  console.warn(`Skipped "${title}": ${reason}`);
  describe.skip(title, cases);
}

/** Returns the text of the focused element. Poll it after a dialog closes: the focus returns only in the next frame. */
export function focusedText(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.textContent');
}
