import { type Json, listOf, objectOf, textOf } from './definition-json.js';

/** A step, branch or loop of the plan, as the console shows it. */
export interface PlanNode {
  kind: string;
  name: string;
  /** What the step does, for example the operation that it calls. */
  detail: string;
  /** The condition, the retries and the policies of the step, as texts. */
  notes: readonly string[];
  children: readonly PlanNode[];
}

export interface PlanGroup {
  title: string;
  nodes: readonly PlanNode[];
}

/** The keys that make an object a step. */
export const KINDS = [
  'tool',
  'retrieve',
  'let',
  'code',
  'switch',
  'for_each',
  'repeat',
  'parallel',
  'approval',
  'ask',
  'wait',
  'agent',
  'assert',
  'hand_off',
  'fail',
  'output',
] as const;

/**
 * Returns the plan of a definition. If a model drives the agent, the plan lists the tools of the model. Omits
 * incomplete parts of the definition.
 */
export function planOf(definition: unknown): PlanGroup[] {
  const root = objectOf(definition);
  const policies = listOf(root.policies).map(objectOf);
  const groups = [
    { title: 'Starts by', nodes: listOf(root.triggers).map(triggerNode) },
    { title: 'Plan', nodes: stepNodes(root.steps, policies) },
    { title: 'A model decides', nodes: root.steps === undefined ? modelNodes(root, policies) : [] },
    { title: 'If the run fails', nodes: stepNodes(root.on_failure, policies) },
  ];
  return groups.filter(({ nodes }) => nodes.length > 0);
}

function stepNodes(steps: unknown, policies: readonly Json[]): PlanNode[] {
  return listOf(steps).map((step) => stepNode(objectOf(step), policies));
}

function stepNode(step: Json, policies: readonly Json[]): PlanNode {
  const kind = KINDS.find((each) => step[each] !== undefined) ?? 'step';
  const notes = [
    ...(step.if === undefined ? [] : [`if ${textOf(step.if)}`]),
    ...(step.retry === undefined ? [] : [`tried up to ${textOf(objectOf(step.retry).max_attempts ?? 3)} times`]),
    ...(step.continue_on_error === true ? ['the run continues after a failure'] : []),
    ...(kind === 'tool' ? policyNotes(textOf(step.tool), policies) : []),
  ];
  return { kind, name: textOf(step.id), detail: detailOf(kind, step), notes, children: blocks(kind, step, policies) };
}

function detailOf(kind: string, step: Json): string {
  const value = step[kind];
  const member = objectOf(value);
  switch (kind) {
    case 'tool':
    case 'approval':
    case 'assert':
    case 'for_each':
      return textOf(value);
    case 'repeat':
      return loopDetail(member);
    case 'code':
      return textOf(member.language);
    case 'retrieve':
      return textOf(member.base);
    case 'let':
      return Object.keys(member).join(', ');
    case 'wait':
      return textOf(member.for ?? member.until ?? (member.callback === undefined ? '' : 'a callback'));
    case 'fail':
      return textOf(member.message ?? value);
    case 'ask':
    case 'hand_off':
      return listOf(member.to).map(textOf).join(', ');
    case 'agent':
      return textOf(member.instructions ?? '');
    case 'output':
      return Object.keys(member).join(', ');
    default:
      return '';
  }
}

/** Returns the condition and the limits of a loop, for example `until carry.cursor == "", at most 100 rounds`. */
function loopDetail({ until, while: condition, max, delay }: Json): string {
  const parts = [
    condition === undefined ? '' : `while ${textOf(condition)}`,
    until === undefined ? '' : `until ${textOf(until)}`,
    max === undefined ? '' : `at most ${textOf(max)} rounds`,
    delay === undefined ? '' : `every ${textOf(delay)}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function blocks(kind: string, step: Json, policies: readonly Json[]): PlanNode[] {
  const branch = (name: string, body: Json): PlanNode => ({
    kind: 'branch',
    name,
    detail: '',
    notes: [],
    children: stepNodes(body.steps, policies),
  });
  if (kind === 'switch')
    return listOf(step.switch)
      .map(objectOf)
      .map((body) => branch(body.when === undefined ? 'otherwise' : `when ${textOf(body.when)}`, body));
  if (kind === 'parallel')
    return listOf(step.parallel).map((body, index) => branch(`at the same time, ${index + 1}`, objectOf(body)));
  const own = stepNodes(step.steps ?? objectOf(step[kind]).steps, policies);
  const otherwise = step.else === undefined ? [] : [branch('otherwise', { steps: step.else })];
  return [...own, ...otherwise];
}

/**
 * Returns texts about the policies that may block a call of the operation: those whose condition contains the name of
 * the operation.
 */
function policyNotes(operation: string, policies: readonly Json[]): string[] {
  return policies
    .filter(({ when }) => operation !== '' && textOf(when).includes(operation))
    .map(({ name, action, approval }) =>
      action === 'require_approval'
        ? `${textOf(name)}: may wait for the approval ${textOf(approval)}`
        : `${textOf(name)}: may ${textOf(action)}`,
    );
}

function modelNodes(root: Json, policies: readonly Json[]): PlanNode[] {
  const leaf = (kind: string, name: string, detail = '', notes: readonly string[] = []): PlanNode => ({
    kind,
    name,
    detail,
    notes,
    children: [],
  });
  const { model } = root;
  if (model === undefined) return [];
  const chosen =
    typeof model === 'string' ? model : `${textOf(objectOf(model).provider)}/${textOf(objectOf(model).name)}`;
  const bases = listOf(root.knowledge)
    .map(objectOf)
    .map(({ base, mode }) => leaf('retrieve', textOf(base), mode === 'always' ? 'before the first turn' : ''));
  const tools = listOf(root.tools)
    .map(objectOf)
    .flatMap((tool) => operationsOf(tool).map((name) => leaf('tool', name, '', policyNotes(name, policies))));
  return [{ ...leaf('agent', chosen), children: [...bases, ...tools] }];
}

/** Returns the operations of a tool by their full names. Operations that a server describes are included only by name. */
export function operationsOf(tool: Json): string[] {
  const own = textOf(tool.name);
  const operations = listOf(tool.operations).map((operation) => textOf(objectOf(operation).name));
  const included = listOf(tool.include).map((entry) =>
    textOf(objectOf(entry).as ?? entry).replace(/[^A-Za-z0-9_.-]+/g, '_'),
  );
  const all = [...operations, ...included].map((name) => `${own}.${name}`);
  return all.length > 0 ? all : [own];
}

function triggerNode(trigger: unknown): PlanNode {
  const { id, type, mailbox, cron, every, filter } = objectOf(trigger);
  return {
    kind: 'trigger',
    name: textOf(id),
    detail: [type, mailbox, cron, every].map(textOf).filter(Boolean).join(' '),
    notes: filter === undefined ? [] : [`if ${textOf(filter)}`],
    children: [],
  };
}
