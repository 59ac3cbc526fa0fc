/** Each of them needs a grant on the knowledge base. */
export interface RunReader {
  agentId: string;
  email: string | null;
  channel: string | null;
}

const GRANTED = `(exists (select 1 from knowledge_grants g where g.workspace_id = b.workspace_id and g.knowledge_base_id = b.id
      and g.type = 'agent' and g.principal = $3)
    and ($4::text is null
      or exists (select 1 from knowledge_grants g where g.workspace_id = b.workspace_id and g.knowledge_base_id = b.id
        and g.type = 'user' and g.principal = $4)
      or exists (select 1 from members m
        join group_members gm on gm.workspace_id = m.workspace_id and gm.member_id = m.id
        join knowledge_grants g on g.workspace_id = gm.workspace_id and g.principal = gm.group_name
        where m.workspace_id = b.workspace_id and m.email = $4 and g.knowledge_base_id = b.id and g.type = 'group'))
    and ($5::text is null or exists (select 1 from knowledge_grants g where g.workspace_id = b.workspace_id
      and g.knowledge_base_id = b.id and g.type = 'channel' and g.principal = $5)))`;

/**
 * If the agent `$3` is null, grants are not checked, because the API has already authorised the person who searches.
 */
export const ALLOWED = `($3::text is null or ${GRANTED})`;

export function principalParameters(reader: RunReader | null): (string | null)[] {
  return [reader?.agentId ?? null, reader?.email ?? null, reader?.channel ?? null];
}
