import { listOf, objectOf, textOf, valuesOf } from './definition-json.js';

/** What an agent needs before it runs, by the names that its definition contains. */
export type Needs = Readonly<
  Record<'models' | 'tools' | 'secrets' | 'connections' | 'bases' | 'groups', readonly string[]>
>;

export function needsOf(definition: unknown, text: string): Needs {
  const root = objectOf(definition);
  const tools = listOf(root.tools).map(objectOf);
  const { model } = root;
  const chosen = typeof model === 'object' && model !== null ? textOf(objectOf(model).name) : textOf(model);
  return {
    models: chosen === '' ? [] : [chosen],
    tools: tools.map(({ name }) => textOf(name)),
    secrets: unique(Array.from(text.matchAll(/\bsecrets\.(\w+)/g), ([, name = '']) => name)),
    connections: unique(tools.map(({ auth }) => textOf(objectOf(auth).connection))),
    bases: unique(valuesOf(root, 'base').map(textOf)),
    groups: groupsOf(root),
  };
}

/** Returns the groups whose members may approve, answer questions or take runs over. */
export function groupsOf(definition: unknown): string[] {
  const asking = ['ask', 'hand_off'].flatMap((name) => valuesOf(definition, name)).map((each) => objectOf(each).to);
  return unique([...valuesOf(definition, 'approvers'), ...asking].flatMap(listOf).map(textOf));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => name !== '');
}
