import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { compileDefinition } from '../compile/compile-definition.js';
import { DefinitionNode } from '../contract/definition-node.js';
import { type CompiledStep, STEP_KINDS, type StepKind } from '../model/compiled-step.js';
import { blocksOf, isBlock, STEPS } from './registry.js';
import { allStepNodes } from './step-nodes.js';

/** A step of each kind, which contains `inner` if the kind can contain steps. */
const SAMPLES: Readonly<Record<StepKind, (inner: JsonObject[]) => JsonObject>> = {
  tool: () => ({ tool: 'notify.send', with: {} }),
  retrieve: () => ({ retrieve: { base: 'handbook', query: 'refunds' } }),
  let: () => ({ let: { a: 1 } }),
  code: () => ({ code: { source: 'export default () => 1' } }),
  switch: (inner) => ({ switch: [{ steps: inner }] }),
  for_each: (inner) => ({ for_each: [1], steps: inner }),
  repeat: (inner) => ({ repeat: { steps: inner, until: 'true', max: 3 } }),
  parallel: (inner) => ({ parallel: [{ steps: inner }, { steps: [{ id: 'beside', let: { b: 1 } }] }] }),
  approval: () => ({ approval: 'finance' }),
  ask: () => ({ ask: { to: ['finance'], form: { type: 'object' } } }),
  wait: () => ({ wait: { for: '5m' } }),
  agent: () => ({ agent: { instructions: 'Help.' } }),
  assert: () => ({ assert: 'true' }),
  hand_off: () => ({ hand_off: { to: ['finance'] } }),
  fail: () => ({ fail: 'No.' }),
  output: () => ({ output: 1 }),
};

const INNER: JsonObject[] = [{ id: 'inner', let: { a: 1 } }];

const sampleOf = (kind: StepKind): JsonObject => ({ id: 'outer', ...SAMPLES[kind](INNER) });

const idsOf = (steps: readonly CompiledStep[]): string[] =>
  steps.flatMap((step) => [step.id, ...blocksOf(step).flatMap(idsOf)]);

const takesSteps = (schema: JsonValue): boolean => {
  if (Array.isArray(schema)) return schema.some(takesSteps);
  return isJsonObject(schema) && (schema.$ref === '#/$defs/step' || Object.values(schema).some(takesSteps));
};

describe('the descriptors of steps', () => {
  it.each(STEP_KINDS)('compile a step of the kind %s', (kind) => {
    const { steps } = compileDefinition({ name: 'x', steps: [sampleOf(kind)] });
    expect(steps).toMatchObject([{ id: 'outer', kind }]);
  });

  it.each(STEP_KINDS)('name the steps inside of %s wherever its schema takes steps', (kind) => {
    expect(STEPS[kind].blocks !== null).toBe(takesSteps(STEPS[kind].schema));
  });

  it.each(STEP_KINDS.filter((kind) => STEPS[kind].blocks))('find the steps inside of %s, at any depth', (kind) => {
    const definition = { name: 'x', steps: [{ id: 'around', switch: [{ steps: [sampleOf(kind)] }] }] };
    const written = allStepNodes(new DefinitionNode(definition, [])).map((node) => node.text('id'));
    expect(written).toEqual(expect.arrayContaining(['around', 'outer', 'inner']));
    expect(idsOf(compileDefinition(definition).steps)).toEqual(written);
  });

  it('count the timeout of a kind with steps inside over all of them', () => {
    const steps = STEP_KINDS.flatMap((kind) => compileDefinition({ name: 'x', steps: [sampleOf(kind)] }).steps);
    expect(steps.filter(isBlock).map(({ kind }) => kind)).toEqual([
      'switch',
      'for_each',
      'repeat',
      'parallel',
      'agent',
    ]);
  });

  it('say that no kind is instant and repeatable', () => {
    expect(STEP_KINDS.filter((kind) => STEPS[kind].isInstant && STEPS[kind].isRepeatable)).toEqual([]);
  });
});
