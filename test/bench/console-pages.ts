import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { lowestId } from '@app/kernel';
import type { Browser } from 'playwright-core';

import { launchBrowser, missingBrowser } from '../support/chromium.js';
import type { Bench, CeilingScenario } from './bench.js';
import { quantile } from './figures.js';
import { type Listed, listed } from './pages.js';

const FEW = 1_000;
const MANY = 1_000_000;
const STEPS = 10_000;
const REPETITIONS = 9;
const ROW = 'main tbody tr:visible';
const BARE_PAGE = '<!doctype html><title>Bare</title><main><table><tbody><tr><td>Row</td></tr></tbody></table></main>';

/**
 * Measures how long a browser with an empty cache takes to show pages of the console, compared with a page without
 * content. The pages are the overview, the run list with few runs and with a million runs, and a run of 10 000 steps.
 */
export const consolePages: CeilingScenario = {
  name: 'console',
  async run(bench: Bench): Promise<void> {
    const reason = missingBrowser();
    if (reason !== undefined) return bench.say(`console: skipped: ${reason}`);
    const few = await listed(bench, 'console_few', FEW);
    const many = await listed(bench, 'console_many', MANY / bench.divisor ** 2);
    const bare = createServer((_, response) => response.setHeader('content-type', 'text/html').end(BARE_PAGE));
    await new Promise<void>((resolve) => void bare.listen(0, '127.0.0.1', resolve));
    const browser = await launchBrowser();
    try {
      const run = await aRunWithSteps(few);
      const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`;
      const runs = MANY / bench.divisor ** 2;
      const loads = [
        { name: 'bare page', url: bareUrl, shown: ROW },
        { name: 'first row of the overview', list: few, url: `${few.api.url}/console/`, shown: ROW },
        { name: `first row of ${FEW} runs`, list: few, url: `${few.api.url}/console/runs`, shown: ROW },
        { name: `first row of ${runs} runs`, list: many, url: `${many.api.url}/console/runs`, shown: ROW },
        {
          name: `last of ${STEPS} steps`,
          list: few,
          url: `${few.api.url}/console/runs/${run}?step=${STEPS}`,
          shown: '[role=treeitem][data-selected=true]',
        },
      ].map((each) => ({ ...each, times: new Float64Array(REPETITIONS), bytes: 0 }));
      // In turns, so that a change in the load of the machine affects all pages.
      for (let n = 0; n < REPETITIONS; n++) for (const each of loads) await load(browser, each, n);
      const [least] = loads.map(({ times }) => quantile(times.toSorted(), 0.5));
      for (const { name, list, times, bytes } of loads) {
        const millis = quantile(times.toSorted(), 0.5);
        bench.figures.add('console', null, name, 'ms', millis);
        if (list === undefined) continue;
        bench.figures.add('console', null, `${name}, of a bare page`, '×', millis / least!);
        bench.figures.add('console', null, `${name}, heap`, 'MB', bytes / 2 ** 20);
      }
    } finally {
      await browser.close();
      bare.close();
      await many.end();
      await few.end();
    }
  },
};

interface PageLoad {
  url: string;
  list?: Listed;
  shown: string;
  /** Milliseconds until the element `shown` is shown, for each repetition. */
  times: Float64Array;
  /** Largest size of the JavaScript heap. */
  bytes: number;
}

/** Loads the page in a new browser context. */
async function load(browser: Browser, measured: PageLoad, repetition: number): Promise<void> {
  const { url, list, shown } = measured;
  // In this Chromium, `Intl` throws if the context has no locale and no time zone.
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC' });
  if (list) {
    await context.request.post(`${list.api.url}/auth/key`, {
      data: { api_key: list.tenant.adminKey },
      headers: { origin: list.api.url, 'sec-fetch-site': 'same-origin', 'x-aas-console': '1' },
      failOnStatusCode: true,
    });
  }
  const page = await context.newPage();
  const begun = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(shown).first().waitFor();
  measured.times[repetition] = performance.now() - begun;
  measured.bytes = Math.max(measured.bytes, await page.evaluate<number>('performance.memory.usedJSHeapSize'));
  await context.close();
}

/**
 * Inserts an ended run with `STEPS` steps, and returns its id. Step 1 is the trigger, for which the trace stores no
 * row.
 */
async function aRunWithSteps({ api, tenant, agents }: Listed): Promise<string> {
  const id = lowestId('run', Date.now());
  await api.execute(`
    insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, status, currency,
        step_n, ended_at)
      values ('${id}', '${tenant.workspaceId}', '${agents[0]!}', 1, 'production', '{"type": "api"}', '{"body": "hello"}',
        'succeeded', 'EUR', ${STEPS}, clock_timestamp());
    insert into run_steps (run_id, n, workspace_id, path, type, tool, scope, state, attempt, op, epoch, request, output,
        detail, ended_at)
      select '${id}', n, '${tenant.workspaceId}', 'call' || n, 'tool_call', 'shop.get', 'read', 'succeeded', 1,
        gen_random_uuid(), 1, jsonb_build_object('order', n), '{"total": 40}', '{"response_summary": "200"}',
        clock_timestamp()
      from generate_series(2, ${STEPS}) n`);
  return id;
}
