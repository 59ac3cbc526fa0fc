import { useQuery } from '@tanstack/react-query';
import { aas, type Workspace } from './api.js';

export const WORKSPACE = ['workspace'] as const;

export function useWorkspace(): Workspace | undefined {
  return useQuery({ queryKey: WORKSPACE, queryFn: () => aas.workspace.get(), staleTime: 60_000 }).data;
}
