import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const RULES = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** The rules whose outcome depends on colours, the only thing that differs between the themes. */
const RULES_OF_COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

const require = createRequire(import.meta.url);
const AXE = require.resolve('axe-core/axe.min.js');
let source: Promise<string> | undefined;

/** Returns the accessibility violations that axe finds on the page in both themes, one line per element. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  source ??= readFile(AXE, 'utf8');
  // The script is evaluated through the debugger, because the content security policy of the page would block a script
  // element.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(await source);
  const findings = await violations(page, RULES);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await violations(page, RULES_OF_COLOURS);
  await page.emulateMedia({ colorScheme: null });
  return [...findings, ...dark.map((line) => `in the dark theme, ${line}`)];
}

async function violations(page: Page, runOnly: typeof RULES): Promise<string[]> {
  const found = await page.evaluate<Violation[], typeof RULES>(async (rules) => {
    const { axe } = globalThis as unknown as {
      axe: { run: (...all: unknown[]) => Promise<{ violations: Violation[] }> };
    };
    return (await axe.run({ runOnly: rules, resultTypes: ['violations'] })).violations;
  }, runOnly);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
