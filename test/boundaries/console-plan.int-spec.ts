import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { planOf } from '../../apps/console/src/plan/definition-plan.js';
import { REPOSITORY_ROOT } from '../support/repository-root.js';

interface Schema {
  oneOf: { $ref: string }[];
  required: string[];
}

/** Returns the kinds of steps in the OpenAPI document. The kind of a step is the name of one of its required keys. */
async function documentedKinds(): Promise<string[]> {
  const text = await readFile(join(REPOSITORY_ROOT, 'packages/sdk/openapi.json'), 'utf8');
  const { components } = JSON.parse(text) as { components: { schemas: Record<string, Schema> } };
  return components.schemas.AgentDefinitionStep!.oneOf.map(({ $ref }) => {
    const { required } = components.schemas[$ref.split('/').at(-1)!]!;
    return required.filter((key) => key !== 'id' && key !== 'steps').join();
  });
}

describe('the picture of a plan in the console', () => {
  it('knows every kind of step', async () => {
    const kinds = await documentedKinds();
    expect(kinds).toContain('for_each');
    const [plan] = planOf({ steps: kinds.map((kind) => ({ id: 'a', [kind]: {} })) });
    expect(plan?.nodes.map(({ kind }) => kind)).toEqual(kinds);
  });
});
