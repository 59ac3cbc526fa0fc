import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSignedOut } from './api.js';
import { reportSignedOut } from './session.js';

const onError = (error: Error): void => {
  if (isSignedOut(error)) reportSignedOut();
};

/** Queries do not retry failed responses, because the API client retries already. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 300_000,
      // The API may be restarting, so connection errors are retried.
      retry: (count, error) => !(error instanceof ApiError) && count < 20,
      retryDelay: (count) => Math.min(500 * 2 ** count, 5_000),
      refetchOnWindowFocus: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
