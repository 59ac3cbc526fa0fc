import type { DefinitionNode } from './definition-node.js';
import type { Problems, Path } from './problems.js';
import type { CompiledDefinition } from '../model/compiled-definition.js';
import { ANY_FILES, type WorkBudget } from '@app/json-schema';
import type { ToolOperation } from '../model/compiled-tool.js';
import { closest, didYouMean } from '@app/kernel';

/**
 * The input of a check: `root` is the definition, and `compiled` is the result of compiling it. `root` matches the
 * schema of the format, except that it may have unknown keys.
 */
export interface CheckContext {
  readonly root: DefinitionNode;
  readonly compiled: CompiledDefinition;
  readonly problems: Problems;
  /** Limits the total work of checking constants of the definition against its JSON Schemas. */
  readonly budget: WorkBudget;
  /** Maximum value of `limits.max_steps` in this installation. */
  readonly maxRunSteps: number;
}

/**
 * Checks a run input that the definition contains, for example in a test case, against the input schema of the agent.
 * If the input schema itself has errors, nothing is reported.
 * @param value the input, if it is not the constant itself
 */
export function checkAgainstInput(
  constant: DefinitionNode,
  { compiled, problems, budget }: CheckContext,
  value = constant.value,
): void {
  const schema = problems.errors.some(({ path }) => path[0] === 'input') ? null : compiled.input;
  for (const place of schema?.complete(value, budget, ANY_FILES).errors ?? []) {
    const inner = place.pointer.split('/').slice(1);
    problems.error(
      [...constant.path, ...inner],
      `This value does not match the input schema of the agent: ${place.detail}`,
      place.suggestion,
    );
  }
}

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

export function requireApproval(name: string, path: Path, compiled: CompiledDefinition, problems: Problems): void {
  if (compiled.approvals.has(name)) return;
  const names = [...compiled.approvals.keys()];
  const fallback =
    names.length > 0
      ? listOf('There are', names)
      : `Add the rule: \`approvals: { ${name}: { approvers: [a-group] } }\`.`;
  problems.error(path, `There is no approval \`${name}\`.`, didYouMean(name, names) ?? fallback);
}

/** Reports each name that occurs more than once. `what` is a plural noun for the message. */
export function requireUnique(names: readonly { name: string; path: Path }[], what: string, problems: Problems): void {
  const seen = new Set<string>();
  for (const { name, path } of names) {
    if (seen.has(name)) problems.error(path, `Two ${what} are named \`${name}\`.`, 'Rename one.');
    seen.add(name);
  }
}

export function listOf(intro: string, names: readonly string[]): string | undefined {
  if (names.length === 0 || names.length > 12) return undefined;
  return `${intro} ${names.map((name) => `\`${name}\``).join(', ')}.`;
}
