import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSignedOut } from './api.js';
import { reportSignedOut } from './session.js';

const onError = (error: Error): void => {
  if (isSignedOut(error)) reportSignedOut();
};

/** The query cache of the console. It does not retry error responses, because the API client retries them already. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 300_000,
      // Without a connection, a query tries again until there is one. A TypeError is a value that cannot be sent.
      retry: (_, error) => !(error instanceof ApiError) && !(error instanceof TypeError),
      retryDelay: (count) => Math.min(500 * 2 ** count, 5_000),
      refetchOnWindowFocus: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
