import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { aas, type Agent, ApiError } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { editableText } from '../data/readable-text.js';
import { withRecentSignIn } from '../data/step-up.js';
import type { DraftState } from './draft-state.js';

export interface NewerVersion {
  version: number;
  createdBy: string;
  createdAt: string;
  text: string;
}

export interface VersionSaver {
  save: () => void;
  isPending: boolean;
  error: unknown;
  /** True if the text has changed since the last attempt to save it. */
  isOutdated: boolean;
  /**
   * A version that another person has saved after this editor was opened. The page shows it beside the text. The next
   * save is based on this version.
   */
  newer: NewerVersion | null;
  /** Reads the latest version and returns it in `newer`. */
  showNewer: () => void;
  saved: number | null;
  reset: () => void;
}

/**
 * Saves the text of the editor as a new version. For a new agent, creates the agent. If another person has saved a
 * version after this editor was opened, saves nothing and returns that version in `newer`.
 */
export function useVersionSaver(
  agent: Agent | undefined,
  draft: DraftState,
  onCreated: (agent: string) => void,
): VersionSaver {
  const [newer, setNewer] = useState<NewerVersion | null>(null);
  const [sent, setSent] = useState('');
  const show = (found: NewerVersion): void => {
    setNewer(found);
    draft.rebase(found.version);
  };
  const reading = useMutation({ mutationFn: (id: string) => readNewest(id), onSuccess: show });
  const mutation = useMutation({
    mutationFn: async (): Promise<number | null> => {
      const { text, base } = draft;
      setSent(text);
      if (agent === undefined) {
        const created = await withRecentSignIn(() => aas.agents.create(text));
        draft.markSaved({ text, version: created.latest_version });
        onCreated(created.id);
        return created.latest_version;
      }
      try {
        const { version } = await aas.versions.create(agent.id, text, { ifMatch: base ?? 1 });
        draft.markSaved({ text, version });
        setNewer(null);
        return version;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 412) throw error;
        show(await readNewest(agent.id));
        return null;
      }
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: agent ? ['agent', agent.id] : ['agents'] }),
  });
  return {
    save: () => {
      if (!mutation.isPending) mutation.mutate();
    },
    isPending: mutation.isPending,
    error: mutation.error ?? reading.error,
    isOutdated: sent !== draft.text,
    newer,
    showNewer: () => agent && reading.mutate(agent.id),
    saved: mutation.data ?? null,
    reset: () => {
      setNewer(null);
      mutation.reset();
    },
  };
}

async function readNewest(agent: string): Promise<NewerVersion> {
  const { latest_version: version } = await aas.agents.get(agent);
  const [{ created_by: createdBy, created_at: createdAt }, text] = await Promise.all([
    aas.versions.get(agent, version),
    aas.versions.definition(agent, version),
  ]);
  return { version, createdBy, createdAt, text: editableText(text) };
}
