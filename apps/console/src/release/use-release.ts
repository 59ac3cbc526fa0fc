import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Agent } from '../data/api.js';
import { one, type Search } from '../data/search.js';
import { type Promoter, usePromotion } from './promotion.js';

export interface Release {
  agent: Agent;
  promoter: Promoter;
  /** The version whose dialog is open, or null. */
  version: number | null;
  open: (version: number) => void;
  close: () => void;
}

/**
 * The release of one version of the agent: `?release=<version>` in the page URL opens its dialog, so that other pages
 * can link to it.
 */
export function useRelease(agent: Agent): Release {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const promoter = usePromotion(agent);
  const wanted = one(search.release) ?? '';
  const show = (release: string | undefined): void =>
    void navigate({ to: '.', search: { ...search, release }, replace: release === undefined, resetScroll: false });
  return {
    agent,
    promoter,
    version: /^[1-9]\d{0,8}$/.test(wanted) ? Number(wanted) : null,
    open: (version) => show(String(version)),
    close: () => {
      promoter.forgetError();
      show(undefined);
    },
  };
}
