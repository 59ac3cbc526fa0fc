import { listOf, objectOf, textOf, valuesOf } from '../plan/definition-json.js';

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
    groups: unique([...valuesOf(root, 'approvers'), ...valuesOf(root, 'to')].flatMap(listOf).map(groupOf)),
  };
}

/** Returns the name of a group. The receivers of mails are also in a list named `to`. */
function groupOf(name: unknown): string {
  const text = textOf(name);
  return /[@${*]/.test(text) ? '' : text;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => name !== '');
}
