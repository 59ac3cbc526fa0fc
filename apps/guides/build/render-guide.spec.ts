import type { GuideFile } from './guide-files.js';
import { GuideLinks } from './guide-links.js';
import { renderGuide } from './render-guide.js';

const file = (source: string, text: string): GuideFile => ({
  source,
  path: source.replace(/^docs\/|\.md$/g, ''),
  group: 'Build',
  text,
});
const LINKS = new GuideLinks(
  [file('docs/steps.md', ''), file('docs/decisions/ids.md', '')],
  new Map([['docs/images/run.png', '/docs/guides/assets/run-1.png']]),
);
const render = (text: string, source = 'docs/tools.md') => renderGuide(file(source, text), LINKS);

describe('a rendered guide', () => {
  it('takes its title and its summary from the beginning of the file', () => {
    const { title, summary } = render('# The `http` tool\n\nAfter reading this page you can call\nAPIs. More follows.');
    expect([title, summary]).toEqual(['The http tool', 'Call APIs.']);
  });

  it('has the anchors of code hosts, which number headings of the same text', () => {
    const { headings } = render('# Tools\n\n## `on_error`: what follows?\n\n## Errors\n\n### Errors\n');
    expect(headings.map(({ id }) => id)).toEqual(['tools', 'on_error-what-follows', 'errors', 'errors-1']);
  });

  it('links to pages instead of files, and keeps the anchor', () => {
    const { html } = render(
      '[a](steps.md#repeat) [b](decisions/ids.md) [c](../README.md) [d](https://example.com/x.md)',
    );
    expect([...html.matchAll(/href="([^"]+)"/g)].map(([, target]) => target)).toEqual([
      '/docs/guides/steps#repeat',
      '/docs/guides/decisions/ids',
      '/docs/guides/',
      'https://example.com/x.md',
    ]);
    expect(render('[up](../steps.md)', 'docs/decisions/ids.md').html).toContain('href="/docs/guides/steps"');
  });

  it('shows a link to a file that is not served as plain text', () => {
    const { html } = render('See [`ids.ts`](../libs/kernel/src/ids.ts) and [steps](steps.md).');
    expect(html).toBe('<p>See <code>ids.ts</code> and <a href="/docs/guides/steps">steps</a>.</p>\n');
  });

  it('shows images by their served address', () => {
    expect(render('![A run](images/run.png)').html).toContain('src="/docs/guides/assets/run-1.png"');
  });

  it('shows raw HTML as text and leaves comments out', () => {
    const { html } = render('<!-- tour: start -->\n\nA <script>alert(1)</script> b\n\n<img src=x onerror=y>\n');
    expect(html).not.toMatch(/<script|<img|tour/);
    expect(html).toContain('&lt;script&gt;');
  });

  it('divides its text into sections for the search', () => {
    const { sections } = render('# Steps\n\nIntro.\n\n## repeat\n\nRuns `steps`\nagain.\n\n```yaml\nx: 1\n```\n');
    expect(sections.map(({ heading, text }) => [heading.id, text])).toEqual([
      ['steps', 'Intro.'],
      ['repeat', 'Runs steps again. x: 1'],
    ]);
  });
});
