import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { aas, type Run } from '../data/api.js';
import { type PlanGroup, planOf } from '../plan/definition-plan.js';
import type { RunPlan } from './plan-state.js';

/** While the run has new steps, its decisions are read again after this time for each thousand steps. */
const DECISIONS_MILLIS = 2_000;

/** Returns the definition of the version that the run executes. Null if it cannot be read. */
export function useRunDefinition({ agent, version }: Run): unknown {
  const { data, isError } = useQuery({
    queryKey: ['agent', agent, 'versions', version],
    queryFn: () => aas.versions.get(agent, version),
    staleTime: Infinity,
  });
  return isError ? null : data?.definition;
}

const NOTHING: readonly PlanGroup[] = [];

/** Returns the plan of this version, without what starts the run. Undefined until it has been read. */
export function useRunPlan(run: Run): readonly PlanGroup[] | undefined {
  const definition = useRunDefinition(run);
  return useMemo(() => {
    if (definition === undefined) return undefined;
    return definition === null ? NOTHING : planOf(definition).filter(({ title }) => title !== 'Starts by');
  }, [definition]);
}

/** Returns what the plan decided, up to the steps that were recorded when it was last read. */
export function useDecisions({ id, status }: Run, steps: number): RunPlan | undefined {
  const state = useSlowly(`${status} ${steps}`, DECISIONS_MILLIS * Math.ceil((steps + 1) / 1_000));
  return useQuery({
    queryKey: ['run', id, 'plan', state],
    queryFn: () => aas.runs.plan(id),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: DECISIONS_MILLIS,
  }).data;
}

/** Returns the value, with changes at most once in `millis`. */
function useSlowly<T>(value: T, millis: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  }, [value]);
  const isBehind = shown !== value;
  useEffect(() => {
    if (!isBehind) return undefined;
    const timer = setTimeout(() => setShown(latest.current), millis);
    return () => clearTimeout(timer);
  }, [isBehind, millis]);
  return shown;
}
