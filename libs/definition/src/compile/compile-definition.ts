import { DomainError, EFFORT_LEVELS, invariant, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import {
  CACHE_MODES,
  type CompiledDefinition,
  type KnowledgeUse,
  type ModelChoice,
  type ModelParams,
  MODEL_FILES,
  type ModelSettings,
  TRIGGER_TYPES,
} from '../model/compiled-definition.js';
import { FILE_MEMBERS } from '../model/file-members.js';
import type { CompiledTool, ToolOperation } from '../model/compiled-tool.js';
import type { ToolDescriptions } from '../model/tool-description.js';
import { CompileContext, type ScopeExtras } from '../contract/compile-context.js';
import { compileEvaluation } from './compile-evaluation.js';
import {
  compileApprovals,
  compileConcurrency,
  compileLimits,
  compilePolicies,
  compilePolicyDefaults,
  compileRetry,
  DEFAULT_TURN_RETRY,
} from './compile-rules.js';
import { allStepNodes, callbackPlaces } from '../steps/step-nodes.js';
import { compileSteps } from './compile-steps.js';
import { compileTools } from './compile-tools.js';
import { compileMcpExposure } from '../expose/mcp-exposure.js';
import { DefinitionNode } from '../contract/definition-node.js';
import { StepScope } from '../contract/step-scope.js';
import { TRIGGERS } from '../triggers/registry.js';

/**
 * Compiles a stored definition in a few milliseconds. The definition was checked when it was created and is not checked
 * again.
 * @throws DomainError `internal_error` if the definition is corrupt
 */
export function compileDefinition(definition: JsonObject, descriptions: ToolDescriptions = {}): CompiledDefinition {
  const context = new CompileContext(definition, true);
  const compiled = compileInto(new DefinitionNode(definition, []), context, descriptions);
  const problem = context.problems.first();
  if (problem !== undefined)
    throw new DomainError('internal_error', `A stored definition does not compile: ${problem}`);
  return compiled;
}

/** Compiles a definition that matches the schema. Reports invalid expressions and schemas to `context.problems`. */
export function compileInto(
  root: DefinitionNode,
  context: CompileContext,
  descriptions: ToolDescriptions,
): CompiledDefinition {
  const stepIds = allStepNodes(root).map((node) => node.text('id'));
  const failureIds = allStepNodes(root, 'on_failure').map((node) => node.text('id'));
  // Policies and approval rules are evaluated at any time of a run, so their expressions may read the output of any
  // step.
  const anywhere = StepScope.create(stepIds, stepIds);
  const extras: ScopeExtras = { stepProblem: (id) => anywhere.problem(id) };
  const tools = compileTools(root, context, descriptions);
  const operations = operationsOf(tools);
  const retry = compileRetry(root.optionalChild('retry'));
  const operationNames = (reference: string): string[] => namesOf(reference, operations);
  const callbacks = callbackPlaces([...root.items('steps'), ...root.items('on_failure')]);
  const surroundings = { variables: [], defaultRetry: retry, operationsOf: operationNames, callbacks };
  return {
    name: root.text('name'),
    description: root.optionalText('description'),
    labels: Object.fromEntries(
      root.entries('labels').flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
    kind: !root.has('steps') ? 'model' : root.has('model') ? 'mixed' : 'steps',
    input: context.schemaWithDefaults(root.raw('input'), ['input']),
    output: context.schema(root.raw('output'), ['output']),
    files: root.choiceOr('files', FILE_MEMBERS, 'inline'),
    model: compileModel(root.raw('model')),
    instructions: context.optionalTemplate(root, 'instructions', 'instructions'),
    knowledge: root.items('knowledge').map(compileKnowledge),
    tools,
    operations,
    policies: compilePolicies(root, operations, context, extras),
    policyDefaults: compilePolicyDefaults(root.optionalChild('policy_defaults')),
    approvals: compileApprovals(root, context, extras),
    triggers: root.items('triggers').map((node) => TRIGGERS[node.choice('type', TRIGGER_TYPES)].compile(node, context)),
    limits: compileLimits(root.optionalChild('limits')),
    concurrency: compileConcurrency(root.optionalChild('concurrency'), context),
    retry,
    turnRetry: compileRetry(root.optionalChild('retry'), DEFAULT_TURN_RETRY),
    handOff: root.has('hand_off') ? { to: root.child('hand_off').texts('to') } : null,
    redactPaths: (root.optionalChild('redact')?.texts('paths') ?? []).map((path) => path.split('.')),
    steps: compileSteps(
      root.items('steps'),
      { ...surroundings, place: 'step', scope: StepScope.create(stepIds) },
      context,
    ),
    onFailure: compileSteps(
      root.items('on_failure'),
      { ...surroundings, place: 'failureStep', scope: StepScope.create([...stepIds, ...failureIds], stepIds) },
      context,
    ),
    evaluation: compileEvaluation(root.optionalChild('evaluation'), context),
    mcp: compileMcpExposure(root, context),
    // Must be computed last, because compiling the other parts fills `secretUses`.
    secrets: [...new Set(context.secretUses.map(({ name }) => name))],
  };
}

function operationsOf(tools: ReadonlyMap<string, CompiledTool>): Map<string, ToolOperation> {
  const all = [...tools.values()].flatMap((tool) => [...tool.operations.values()]);
  return new Map(all.map((operation) => [operation.fullName, operation]));
}

function namesOf(reference: string, operations: ReadonlyMap<string, ToolOperation>): string[] {
  if (operations.has(reference)) return [reference];
  return [...operations.values()]
    .filter((operation) => operation.tool === reference)
    .map((operation) => operation.fullName);
}

function compileKnowledge(node: DefinitionNode): KnowledgeUse {
  return {
    base: node.text('base'),
    mode: node.choiceOr('mode', ['tool', 'always'], 'tool'),
    topK: node.numberOr('top_k', 8),
    citations: node.choiceOr('citations', ['required', 'optional', 'off'], 'optional'),
  };
}

function compileModel(source: JsonValue | undefined): ModelSettings | null {
  if (source === undefined) return null;
  const fallback = isJsonObject(source) && Array.isArray(source.fallback) ? source.fallback.map(modelChoice) : [];
  const params =
    isJsonObject(source) && isJsonObject(source.params)
      ? modelParams(new DefinitionNode(source.params, ['model', 'params']))
      : {};
  const isRefusalRetried = isJsonObject(source) && Array.isArray(source.fallback_on) && source.fallback_on.length > 0;
  const files = isJsonObject(source) ? MODEL_FILES.find((each) => each === source.files) : undefined;
  return {
    ...modelChoice(source),
    fallback,
    params,
    ...(isRefusalRetried && { fallbackOn: ['refused'] as const }),
    ...(files && { files }),
  };
}

/** Accepts `anthropic/claude-sonnet-5-5` and `{provider, name}`. */
function modelChoice(source: JsonValue): ModelChoice {
  if (isJsonObject(source)) {
    const node = new DefinitionNode(source, ['model']);
    return { provider: node.text('provider'), name: node.text('name') };
  }
  invariant(typeof source === 'string', 'a model of a definition is text or an object');
  const slash = source.indexOf('/');
  return { provider: source.slice(0, slash), name: source.slice(slash + 1) };
}

function modelParams(node: DefinitionNode): ModelParams {
  return {
    ...(node.has('temperature') ? { temperature: node.number('temperature') } : {}),
    ...(node.has('top_p') ? { topP: node.number('top_p') } : {}),
    ...(node.has('max_output_tokens') ? { maxOutputTokens: node.number('max_output_tokens') } : {}),
    ...(node.has('seed') ? { seed: node.number('seed') } : {}),
    ...(node.has('effort') ? { effort: node.choiceOr('effort', EFFORT_LEVELS, 'none') } : {}),
    ...(node.has('cache') ? { cache: node.choiceOr('cache', CACHE_MODES, 'auto') } : {}),
    ...(node.has('stop') ? { stop: node.texts('stop') } : {}),
  };
}
