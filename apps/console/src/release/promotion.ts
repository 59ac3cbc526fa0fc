import { useMutation } from '@tanstack/react-query';
import { aas, type Agent } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';

export interface Promoter {
  promote: (version: number) => void;
  /**
   * Returns why this version cannot be promoted now, or null if the console knows no reason. The API may still reject
   * the promotion.
   */
  refusal: (version: number) => string | null;
  isPending: boolean;
  error: unknown;
  /** The version that the person promoted on this page, and the version that was in production before. */
  promoted: { version: number; previous: number | null } | null;
  /** Production version that another person promoted after this page was loaded. */
  overtakenBy: number | null;
  /** Forgets the error of the last promotion. */
  forgetError: () => void;
}

/**
 * Promotes a version only if the production version is still the one that the page shows. Otherwise the person could
 * undo a promotion by another person without having seen it.
 */
export function usePromotion(agent: Agent): Promoter {
  const scope = useRefusal('agents:promote');
  const mutation = useMutation({
    mutationFn: async (version: number) => {
      let tag = '';
      const present = await aas.agents.get(agent.id, {
        onResponse: ({ headers }) => {
          tag = (headers.get('etag') ?? '').replace(/^(W\/)?"|"$/g, '');
        },
      });
      if (present.production_version !== agent.production_version)
        return { overtakenBy: present.production_version, promoted: null };
      const { production_version: now, previous_version: previous } = await aas.versions.promote(agent.id, version, {
        ...(tag !== '' && { ifMatch: tag }),
      });
      return { overtakenBy: null, promoted: { version: now, previous } };
    },
    onSettled: () =>
      Promise.all([['agent', agent.id], ['promotions']].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
  return {
    promote: (version) => mutation.mutate(version),
    refusal: (version) => {
      if (version === agent.production_version) return `Version ${version} is in production.`;
      if (agent.status === 'archived') return 'The agent is archived.';
      return scope ?? (mutation.isPending ? 'A promotion is being sent.' : null);
    },
    isPending: mutation.isPending,
    error: mutation.error,
    promoted: mutation.data?.promoted ?? null,
    overtakenBy: mutation.data?.overtakenBy ?? null,
    forgetError: () => {
      if (mutation.data?.promoted == null) mutation.reset();
    },
  };
}
