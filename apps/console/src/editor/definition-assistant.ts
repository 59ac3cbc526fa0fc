import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { aas } from '../data/api.js';
import { memberOnLine } from '../data/yaml-place.js';
import type { CodeAssistant } from '../ui/code-editor.js';
import { type DefinitionSchema, descriptionOf } from './definition-completer.js';
import { useWorkspaceNames } from './workspace-names.js';

const NO_SCHEMA: DefinitionSchema = {};

/**
 * Provides completion and help. The schema is the one that the API serves, so that they match the release of the API.
 * `definition` is the last definition that was parsed without an error.
 */
export function useDefinitionAssistant(definition: unknown): CodeAssistant {
  const { data: schema = NO_SCHEMA } = useQuery({
    queryKey: ['schema', 'agent/v1'],
    queryFn: async () => (await aas.definitions.schema()) as DefinitionSchema,
    staleTime: Infinity,
  });
  const { data: catalog } = useQuery({ queryKey: ['models'], queryFn: () => aas.models.list(), staleTime: 60_000 });
  const { data: completer } = useQuery({
    queryKey: ['module', 'workspace-completer'],
    queryFn: async () => {
      const [{ completionsAt }, { functions }] = await Promise.all([
        import('./workspace-completer.js'),
        import('virtual:expression-functions'),
      ]);
      return { completionsAt, functions };
    },
    staleTime: Infinity,
  });
  const names = useWorkspaceNames();
  return useMemo(
    () => ({
      suggest: (text, offset) =>
        completer?.completionsAt(text, offset, {
          schema,
          models: catalog?.data ?? [],
          names,
          functions: completer.functions,
          definition,
        }),
      describe: (text, row) => {
        const member = memberOnLine(text, row);
        return member && descriptionOf(schema, member.path, member.key);
      },
    }),
    [schema, catalog, completer, names, definition],
  );
}
