import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { editableText } from '../data/readable-text.js';
import { useCaller } from '../data/session.js';
import { Page } from '../ui/page.js';
import { EditorScreen } from './editor-screen.js';
import { draftKey } from './stored-draft.js';

export function NewAgentPage(): ReactNode {
  const caller = useCaller();
  const owner = caller && { workspace: caller.workspace.id, member: caller.member, agent: 'new' };
  return (
    <Page title="New agent" above={<Link to="/agents">Agents</Link>} busy={owner === undefined}>
      {owner && <EditorScreen draftKey={draftKey(owner)} saved={{ text: '', version: null }} />}
    </Page>
  );
}

export function EditAgentPage(): ReactNode {
  const { id = '' } = useParams({ strict: false });
  const caller = useCaller();
  const { data: agent, error } = useQuery({ queryKey: ['agent', id], queryFn: () => aas.agents.get(id) });
  // The definition is read only once, because a newer version must not replace the text while a person edits it.
  const { data: start, error: unread } = useQuery({
    queryKey: ['editor', id],
    queryFn: async () => {
      const { latest_version: version } = await aas.agents.get(id);
      return { version, text: editableText(await aas.versions.definition(id, version)) };
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  const owner = caller && { workspace: caller.workspace.id, member: caller.member, agent: id };
  const isReady = agent !== undefined && start !== undefined && owner !== undefined;
  return (
    <Page
      title={agent === undefined ? 'Edit agent' : `Edit ${agent.name}`}
      above={
        <>
          <Link to="/agents">Agents</Link>
          {agent && (
            <>
              {' / '}
              <Link to="/agents/$id" params={{ id }}>
                {agent.name}
              </Link>
            </>
          )}
        </>
      }
      busy={!isReady && error === null && unread === null}
      error={error ?? unread}
    >
      {isReady && <EditorScreen key={id} draftKey={draftKey(owner)} saved={start} agent={agent} />}
    </Page>
  );
}
