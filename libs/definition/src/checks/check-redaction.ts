import type { CompiledDefinition } from '../model/compiled-definition.js';
import { allStepNodes } from '../steps/step-nodes.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import type { Path, Problems } from '../contract/problems.js';
import { didYouMean } from '@app/kernel';
import { listOf } from '../contract/check-context.js';

const REDACTABLE = ['input', 'output', 'steps', 'tools', 'trigger'];
const FORM = /^[A-Za-z_][A-Za-z0-9_-]*(\.([A-Za-z0-9_-]+|\*))*$/;

/** Reports paths that would redact nothing. Without an error, the author would rely on a mistyped path. */
export function checkRedaction(root: DefinitionNode, compiled: CompiledDefinition, problems: Problems): void {
  const redact = root.optionalChild('redact');
  for (const [index, path] of (redact?.texts('paths') ?? []).entries()) {
    const at = [...(redact?.pathOf('paths') ?? []), index];
    const [head = '', name] = path.split('.');
    if (!FORM.test(path) || !REDACTABLE.includes(head)) {
      const suggestion = REDACTABLE.includes(head)
        ? 'Separate names with dots. `*` stands for any name or list item: `input.lines.*.iban`.'
        : 'Begin with `input`, `output`, `steps`, `tools` or `trigger`, for example `input.body`.';
      problems.error(at, `"${path}" is not the path of a value of a run.`, suggestion);
    } else if (head === 'steps' && name !== '*') checkStep(path, at, root, problems);
    else if (head === 'tools' && name !== '*') checkTool(path, at, compiled, problems);
    else if (head === 'input') checkInput(path, at, compiled, problems);
  }
}

function checkStep(path: string, at: Path, root: DefinitionNode, problems: Problems): void {
  const [, id = '', member] = path.split('.');
  const ids = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')].map((node) => node.text('id'));
  if (!ids.includes(id)) {
    problems.error(at, `There is no step \`${id}\`.`, didYouMean(id, ids) ?? listOf('Steps are', ids));
  } else if (member !== undefined && !['output', 'error', '*'].includes(member)) {
    const detail = 'Only the fields `output` and `error` of a step can be redacted.';
    problems.error(at, detail, `Write \`steps.${id}.output\` or \`steps.${id}.error.body\`.`);
  }
}

/** Accepts `tools.<tool>.<operation>.request`, `tools.<tool>.<operation>.response`, and any path below them. */
function checkTool(path: string, at: Path, { tools, operations }: CompiledDefinition, problems: Problems): void {
  const [, tool = '', ...rest] = path.split('.');
  if (!tools.has(tool)) {
    problems.error(
      at,
      `There is no tool \`${tool}\`.`,
      didYouMean(tool, tools.keys()) ?? listOf('Tools are', [...tools.keys()]),
    );
    return;
  }
  const side = rest.findIndex((part, index) => index > 0 && (part === 'request' || part === 'response'));
  const [operation] = rest;
  if (side === -1) {
    if (rest.length <= 1) return;
    const suggestion = `Write \`tools.${tool}.${operation}.request\` or \`tools.${tool}.${operation}.response\`.`;
    problems.error(at, 'The path must name the `request` or the `response` of the call.', suggestion);
    return;
  }
  const name = `${tool}.${rest.slice(0, side).join('.')}`;
  if (operation === '*' || operations.has(name)) return;
  problems.error(at, `There is no operation \`${name}\`.`, didYouMean(name, operations.keys()));
}

/**
 * Warns about a path that the input schema does not declare. It is not an error, because callers may send properties
 * that the schema does not declare.
 */
function checkInput(path: string, at: Path, { input }: CompiledDefinition, problems: Problems): void {
  const [, name] = path.split('.');
  const properties = Object.keys(input?.schema.properties ?? {});
  if (name === undefined || name === '*' || properties.length === 0 || properties.includes(name)) return;
  problems.warning(
    at,
    `The input schema does not declare \`${name}\`, so this path may redact nothing.`,
    didYouMean(name, properties),
  );
}
