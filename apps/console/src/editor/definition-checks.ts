import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { aas, type Agent, ApiError } from '../data/api.js';
import type { CapabilityChange } from '../release/capability-changes.js';
import type { CodeFinding, CodeFix } from '../ui/code-editor.js';

export interface DefinitionProblem extends CodeFinding {
  suggestion?: string;
}

export interface DefinitionChecks {
  errors: readonly DefinitionProblem[];
  warnings: readonly DefinitionProblem[];
  /** True if the API has validated the current text without errors. */
  isValid: boolean;
  /** Error of a request, for example if the API is not available. Not an error in the definition. */
  failure: unknown;
  /** Capability changes compared with the production version. Undefined until the comparison is loaded. */
  changes: readonly CapabilityChange[] | undefined;
  /** False until the API has answered once. */
  isChecked: boolean;
}

const TYPING_MILLIS = 350;

/**
 * Validates the definition with the API when the person has not typed for 350 ms. Ignores results for earlier texts.
 */
export function useChecks(text: string, agent: Agent | undefined): DefinitionChecks {
  const rested = useRested(text);
  const isEmpty = rested.trim() === '';
  const validation = useQuery({
    queryKey: ['validation', rested],
    queryFn: ({ signal }) => aas.definitions.validate(rested, { signal }),
    enabled: !isEmpty,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 30_000,
  });
  const isValid = validation.data?.valid === true && !validation.isPlaceholderData && !isEmpty;
  const production = agent?.production_version;
  const comparison = useQuery({
    queryKey: ['capabilities', agent?.id, production, rested],
    queryFn: ({ signal }) => aas.versions.diff(agent?.id ?? '', production ?? 1, rested, { signal }),
    enabled: isValid && agent !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 30_000,
  });
  const found = isEmpty ? undefined : validation.data;
  return {
    errors: problemsOf('error', found?.errors ?? []),
    warnings: problemsOf('warning', found?.warnings ?? []),
    isValid: isValid && rested === text,
    failure: validation.error ?? comparison.error,
    changes: comparison.data?.capability_changes,
    isChecked: !validation.isPending,
  };
}

/** Returns the errors, with their lines, that the API reported when it rejected a save. */
export function refusedPlaces(error: unknown): DefinitionProblem[] {
  if (!(error instanceof ApiError)) return [];
  const places = (error.problem.errors ?? []) as readonly Place[];
  return problemsOf(
    'error',
    places.filter(({ line }) => line !== undefined),
  );
}

interface Place {
  detail: string;
  suggestion?: string;
  line?: number;
  column?: number;
  fix?: CodeFix;
}

function problemsOf(severity: CodeFinding['severity'], places: readonly Place[]): DefinitionProblem[] {
  return places.map(({ detail, suggestion, line = 1, column = 1, fix }) => ({
    severity,
    line,
    column,
    message: detail,
    ...(suggestion !== undefined && { suggestion }),
    ...(fix !== undefined && { fix }),
  }));
}

/** Debounces `value`: returns the new value when it has not changed for 350 ms. */
function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), TYPING_MILLIS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
