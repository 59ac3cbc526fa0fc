import type { CatalogModel } from '../data/api.js';
import { type DefinitionSchema, schemaOfMember, suggestionsAt } from './definition-completer.js';
import { textOf } from '../plan/definition-json.js';
import { definitionPlace } from './definition-place.js';
import { expressionBefore, expressionSuggestions, type FunctionRow } from './expression-completion.js';
import {
  operationNames,
  referenceSuggestions,
  secretSuggestions,
  type WorkspaceNames,
} from './reference-completion.js';
import type { Suggestions } from './suggestion.js';

export interface Knowledge {
  schema: DefinitionSchema;
  models: readonly CatalogModel[];
  names: WorkspaceNames;
  functions: readonly FunctionRow[];
  /** The last definition that was parsed without an error. */
  definition: unknown;
}

/** Returns what fits at the cursor: members of expressions, names of the workspace, then keys and values of the format. */
export function completionsAt(text: string, offset: number, known: Knowledge): Suggestions | undefined {
  const place = definitionPlace(text, offset, known.definition);
  const before = expressionBefore(text, offset, place, isExpression(known.schema, place));
  if (before !== undefined)
    return expressionSuggestions(before, offset, place, {
      functions: known.functions,
      secrets: known.names.secrets,
      operations: operationNames(place.definition),
    });
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const [written = ''] = /[^\s,[\]{}]*$/.exec(line) ?? [];
  const isValue = /(?::\s|[[,]\s*|^\s*-\s|:\s+\[?["'])["']?[\w./-]*$/.test(line);
  if (isValue && !/^\s*#/.test(line)) {
    const name = written.replace(/^["']/, '');
    const items = referenceSuggestions(place, known.names);
    if (items.length > 0) return { from: offset - name.length, items };
    const secrets = secretSuggestions(place, written, known.names);
    if (secrets.length > 0) return { from: offset - written.length, items: secrets };
  }
  return suggestionsAt(known.schema, text, offset, known.models);
}

/**
 * Returns whether the value at the place is an expression without `${{ }}`. The schema marks these values. While the
 * object has no kind yet, the members of all kinds count.
 */
function isExpression(schema: DefinitionSchema, { path, around }: ReturnType<typeof definitionPlace>): boolean {
  const own = Object.entries(around.at(-1) ?? {}).map(([key, value]) => [key, textOf(value)] as const);
  const known = schemaOfMember(schema, path, new Map(own));
  const members = known.length > 0 ? known : schemaOfMember(schema, path, undefined);
  return members.some(({ contentMediaType }) => contentMediaType === 'text/x-cel');
}
