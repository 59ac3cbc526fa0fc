import { differenceMarkdown, differenceText } from './difference-report.js';
import type { Difference } from './version-difference.js';

const change = (severity: 'info' | 'warning' | 'critical', message: string) => ({
  kind: 'tool_added',
  severity,
  message,
  pointer: '/tools/0',
  before: null,
  after: null,
});

const difference = (members: Partial<Difference>): Difference => ({
  file: 'agents/desk.yaml',
  agent: 'desk',
  action: 'update',
  version: 3,
  capability_changes: [],
  patch: [],
  text_diff: '--- desk@3\n+++ desk\n@@ -1 +1 @@\n-a\n+b\n',
  ...members,
});

describe('the report of differences', () => {
  it('shows capability changes of all agents before any text, the gravest first', () => {
    const markdown = differenceMarkdown([
      difference({ capability_changes: [change('info', 'reads more'), change('warning', 'waits less')] }),
      difference({ agent: 'other', capability_changes: [change('critical', 'may refund')] }),
    ]);
    const places = ['may refund', 'waits less', 'reads more', '<details>'].map((each) => markdown.indexOf(each));
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(places.every((each) => each >= 0)).toBe(true);
  });

  it('renders names and texts as text', () => {
    const markdown = differenceMarkdown([
      difference({
        agent: '@everyone <img src=x>',
        capability_changes: [change('critical', '[link](http://x) | `code`\n# title')],
        text_diff: '+```\n+# out of the block\n+````\n',
      }),
    ]);
    expect(markdown).not.toMatch(/@everyone|<img|\[link\]|^# title/m);
    expect(markdown).toContain('`````diff\n');
  });

  it('says that nothing has changed', () => {
    expect(differenceMarkdown([difference({ action: 'unchanged', text_diff: '' })])).toContain('No agent changes');
    expect(differenceText(difference({ action: 'unchanged' }))).toBe('agents/desk.yaml: desk is version 3');
  });
});
