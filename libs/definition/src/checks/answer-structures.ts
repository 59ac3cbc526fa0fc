import { isJsonObject, type JsonObject } from '@app/kernel';
import { DefinitionNode } from '../contract/definition-node.js';
import { structureMisfit, type StructureMisfit } from '@app/json-schema';
import { allStepNodes } from '../steps/step-nodes.js';

/**
 * Returns where the schemas that a model must follow are no response formats: those of the agent, or of its `agent`
 * steps.
 */
export function structureMisfits(definition: JsonObject): StructureMisfit[] {
  const root = new DefinitionNode(definition, []);
  const steps = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')];
  const tasks = steps.filter((step) => step.has('agent')).map((step) => step.child('agent'));
  return [...(root.has('steps') ? [] : [root]), ...tasks].flatMap((node) => {
    const schema = node.raw('output');
    const misfit = isJsonObject(schema) ? structureMisfit(schema) : undefined;
    return misfit ? [{ ...misfit, path: [...node.pathOf('output'), ...misfit.path] }] : [];
  });
}
