import type { DefinitionNode } from '../../compile/context/definition-node.js';
import type { Problems, Path } from '../../compile/context/problems.js';
import type { CompiledDefinition } from '../../model/compiled-definition.js';
import type { WorkBudget } from '../../validation/work-budget.js';
import type { ToolOperation } from '../../model/compiled-tool.js';
import { closest, didYouMean } from '@app/kernel';

/** What one check needs. The definition has the right form; the compiled one has its names resolved. */
export interface CheckContext {
  readonly root: DefinitionNode;
  readonly compiled: CompiledDefinition;
  readonly problems: Problems;
  /** Bounds the work of checking all constants of the definition by its schemas. */
  readonly budget: WorkBudget;
}

/** A constant that a run is started with must fit the input schema. By a schema that is wrong itself nothing is checked. */
export function checkAgainstInput(constant: DefinitionNode, { compiled, problems, budget }: CheckContext): void {
  const schema = problems.errors.some(({ path }) => path[0] === 'input') ? null : compiled.input;
  for (const place of schema?.validate(constant.value, budget) ?? []) {
    const inner = place.pointer.split('/').slice(1);
    problems.error([...constant.path, ...inner], `The input schema refuses this: ${place.detail}`, place.suggestion);
  }
}

/** The operation of that full name; reports it where there is none. */
export function resolveOperation(
  reference: string,
  path: Path,
  compiled: CompiledDefinition,
  problems: Problems,
): ToolOperation | undefined {
  const operation = compiled.operations.get(reference);
  if (operation) return operation;
  const dot = reference.indexOf('.');
  const toolName = dot === -1 ? reference : reference.slice(0, dot);
  const tool = compiled.tools.get(toolName);
  if (!tool) {
    const known = closest(toolName, compiled.tools.keys());
    const rest = dot === -1 ? '' : reference.slice(dot);
    const corrected = known && compiled.operations.has(known + rest) ? known + rest : known;
    const all = [...compiled.operations.keys()];
    problems.error(
      path,
      `There is no tool \`${toolName}\`.`,
      corrected ? `Did you mean \`${corrected}\`?` : listOf('Operations are', all),
    );
    return undefined;
  }
  const names = [...tool.operations.values()].map(({ fullName }) => fullName);
  problems.error(
    path,
    `Tool \`${toolName}\` has no operation \`${reference.slice(dot + 1)}\`.`,
    didYouMean(reference, names) ?? listOf('It has', names),
  );
  return undefined;
}

/** Reports an approval rule that does not exist. */
export function requireApproval(name: string, path: Path, compiled: CompiledDefinition, problems: Problems): void {
  if (compiled.approvals.has(name)) return;
  const names = [...compiled.approvals.keys()];
  const fallback =
    names.length > 0 ? listOf('There are', names) : `Add it: \`approvals: { ${name}: { approvers: [a-group] } }\`.`;
  problems.error(path, `There is no approval \`${name}\`.`, didYouMean(name, names) ?? fallback);
}

/** Reports the second and further uses of one name. */
export function requireUnique(names: readonly { name: string; path: Path }[], what: string, problems: Problems): void {
  const seen = new Set<string>();
  for (const { name, path } of names) {
    if (seen.has(name)) problems.error(path, `There are two ${what} named \`${name}\`.`, 'Rename one.');
    seen.add(name);
  }
}

/** ``It has `a`, `b`.``; undefined for nothing or too much to read. */
export function listOf(intro: string, names: readonly string[]): string | undefined {
  if (names.length === 0 || names.length > 12) return undefined;
  return `${intro} ${names.map((name) => `\`${name}\``).join(', ')}.`;
}
