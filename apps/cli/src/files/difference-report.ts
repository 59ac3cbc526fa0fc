import type { CapabilityChange, Difference } from './version-difference.js';

const GRAVITY: Readonly<Record<CapabilityChange['severity'], number>> = { critical: 0, warning: 1, info: 2 };

function gravestFirst(changes: readonly CapabilityChange[]): CapabilityChange[] {
  return [...changes].sort((one, other) => GRAVITY[one.severity] - GRAVITY[other.severity]);
}

/** Returns a text for a terminal: the capability changes, then the text diff. */
export function differenceText(difference: Difference): string {
  const { file, agent, action, version, capability_changes: changes, text_diff: text } = difference;
  const title = `${file}: ${agent} ${titleOf(action, version)}`;
  if (action === 'unchanged') return title;
  const lines = gravestFirst(changes).map(({ severity, message }) => `  ${severity}: ${message}`);
  return [title, ...lines, text.trimEnd()].join('\n');
}

function titleOf(action: Difference['action'], version: number | null): string {
  if (action === 'create') return 'is new';
  return action === 'unchanged' ? `is version ${version ?? ''}` : `differs from version ${version ?? ''}`;
}

/** Returns Markdown for a comment on a pull request: all capability changes, then the folded text diff of each file. */
export function differenceMarkdown(differences: readonly Difference[]): string {
  const changed = differences.filter(({ action }) => action !== 'unchanged');
  if (changed.length === 0) return '### Agents\n\nNo agent changes.\n';
  return ['### Agents', capabilityTable(changed), ...changed.map(foldedText)].join('\n\n').concat('\n');
}

function capabilityTable(changed: readonly Difference[]): string {
  const rows = changed.flatMap(({ agent, capability_changes: changes }) =>
    changes.map((change) => ({ agent, ...change })),
  );
  if (rows.length === 0) return 'The capabilities of existing agents do not change.';
  rows.sort((one, other) => GRAVITY[one.severity] - GRAVITY[other.severity]);
  const lines = rows.map(
    ({ agent, severity, message }) =>
      `| ${severity === 'critical' ? '**critical**' : severity} | ${markdownCell(agent)} | ${markdownCell(message)} |`,
  );
  return ['| severity | agent | change |', '|---|---|---|', ...lines].join('\n');
}

function foldedText({ file, agent, action, version, text_diff: text }: Difference): string {
  const title = `${agent}: ${action === 'create' ? 'new agent' : `changes version ${version ?? ''}`} (${file})`;
  const fence = fenceFor(text);
  return `<details><summary>${markdownCell(title)}</summary>\n\n${fence}diff\n${text.trimEnd()}\n${fence}\n\n</details>`;
}

/**
 * Returns the backticks that enclose a code block. The result is longer than each sequence of backticks in the text, so
 * that the text cannot end the block.
 */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  return '`'.repeat(longest + 1);
}

/** Escapes markup, and `@`, so that the text mentions no people. */
function markdownCell(text: string): string {
  return text
    .replace(/[\\`*_[\]<>&|#@!~]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/\s*[\r\n]+\s*/g, ' ');
}
