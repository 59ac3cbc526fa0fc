import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSignedOut } from './api.js';
import { reportSignedOut } from './session.js';

const onError = (error: Error): void => {
  if (isSignedOut(error)) reportSignedOut();
};

/** The client of the API repeats what may be repeated, so that queries do not. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 300_000,
      // The api may be restarting: a page that has data keeps asking for it.
      retry: (count, error) => !(error instanceof ApiError) && count < 20,
      retryDelay: (count) => Math.min(500 * 2 ** count, 5_000),
      refetchOnWindowFocus: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
