import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useRef } from 'react';
import { type PlanGroup, planOf } from './definition-plan.js';

const NONE: readonly PlanGroup[] = [];

/**
 * Returns the definition in the text, and its plan. If the text is not valid YAML, returns the definition and the plan
 * of the last valid text.
 */
export function useParsedDefinition(text: string): { groups: readonly PlanGroup[]; definition: unknown } {
  const { data: reader } = useQuery({
    queryKey: ['module', 'definition-text'],
    queryFn: () => import('./definition-text.js'),
    staleTime: Infinity,
  });
  const rested = useDeferredValue(text);
  const last = useRef<{ groups: readonly PlanGroup[]; definition: unknown }>({ groups: NONE, definition: undefined });
  return useMemo(() => {
    const definition = reader?.readDefinition(rested);
    if (definition === undefined) return last.current;
    last.current = { groups: planOf(definition), definition };
    return last.current;
  }, [reader, rested]);
}
