import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Returns the accessibility violations that axe finds on the page, one line per element. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  // The script is evaluated through the debugger, because the content security policy of the page would block a script
  // element.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const violations = await page.evaluate<Violation[], string[]>(async (values) => {
    const { axe } = globalThis as unknown as {
      axe: { run: (...all: unknown[]) => Promise<{ violations: Violation[] }> };
    };
    return (await axe.run({ runOnly: { type: 'tag', values }, resultTypes: ['violations'] })).violations;
  }, RULES);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
