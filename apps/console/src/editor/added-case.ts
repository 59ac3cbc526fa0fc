import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { aas, type Run } from '../data/api.js';
import { one, type Search } from '../data/search.js';
import type { DraftState } from './draft-state.js';

/**
 * If the page URL has `?case=<run id>`, adds an evaluation case with the data of this run to the definition. Then
 * removes the parameter from the URL, so that the case is added only once.
 */
export function useAddedCase(draft: DraftState): void {
  const search: Search = useSearch({ strict: false });
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const id = one(search.case);
  const { data: run } = useQuery({
    queryKey: ['run', id],
    queryFn: () => aas.runs.get(id ?? ''),
    enabled: id !== undefined,
  });
  const add = useEffectEvent(async (from: Run) => {
    const { withCase } = await import('./definition-text.js');
    draft.change(withCase(draft.text, from));
    await navigate({ to: pathname, search: { ...search, case: undefined }, replace: true });
  });
  useEffect(() => {
    if (id !== undefined && run !== undefined) void add(run);
  }, [id, run]);
}
