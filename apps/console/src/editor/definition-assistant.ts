import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { aas } from '../data/api.js';
import type { CodeAssistant } from '../ui/code-editor.js';
import { type DefinitionSchema, descriptionOf, suggestionsAt } from './definition-completer.js';
import { memberOnLine } from './yaml-place.js';

const NOTHING: DefinitionSchema = {};

/** Provides completion and help from the schema that the API serves, so that they match the release of the API. */
export function useDefinitionAssistant(): CodeAssistant {
  const { data: schema = NOTHING } = useQuery({
    queryKey: ['schema', 'agent/v1'],
    queryFn: async () => (await aas.definitions.schema()) as DefinitionSchema,
    staleTime: Infinity,
  });
  return useMemo(
    () => ({
      suggest: (text, offset) => suggestionsAt(schema, text, offset),
      describe: (text, row) => {
        const member = memberOnLine(text, row);
        return member && descriptionOf(schema, member.path, member.key);
      },
    }),
    [schema],
  );
}
