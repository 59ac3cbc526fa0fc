import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { useCaller, useRefusal } from '../data/session.js';
import { ActionMenu, confirmAction, type MenuAction } from '../ui/action-menu.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { Empty } from '../ui/page.js';
import { Tag } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { MEMBERS } from './invitation.js';
import { ChangeRole, InviteAgain, InviteMember, type Member } from './member-dialogs.js';
import { FoldedScopes } from './roles.js';
import styles from './settings.module.css';
import { SettingsFrame } from './settings-frame.js';

export function MembersPage(): ReactNode {
  const refusal = useRefusal('members:manage');
  const mayList = useCaller() !== undefined && refusal === null;
  const list = usePagedList(MEMBERS, (page) => aas.members.list({ ...page, limit: 100 }), { enabled: mayList });
  const groups = useGroupNames(mayList);
  return (
    <SettingsFrame
      title="Members"
      busy={list.isPending}
      error={list.error}
      refusal={refusal}
      actions={<InviteMember refusal={refusal} />}
    >
      <PagedTable
        label="Members"
        columns={columns(groups)}
        rowKey={({ id }) => id}
        list={list}
        empty={<Empty title="No member" />}
      />
    </SettingsFrame>
  );
}

/** Returns the names of the groups of each member, by e-mail address. */
function useGroupNames(enabled: boolean): ReadonlyMap<string, readonly string[]> {
  const { data } = useQuery({
    queryKey: ['groups', 'names'],
    queryFn: () => aas.groups.list({ limit: 100, order: 'asc' }),
    enabled,
  });
  const names = new Map<string, string[]>();
  for (const { name, members } of data?.data ?? [])
    for (const email of members) names.set(email, [...(names.get(email) ?? []), name]);
  return names;
}

function columns(groups: ReadonlyMap<string, readonly string[]>): readonly Column<Member>[] {
  return [
    { name: 'E-mail', cell: (member) => <Email member={member} groups={groups.get(member.email) ?? []} /> },
    { name: 'Role', cell: ({ role }) => role },
    { name: 'Groups', kind: 'optional', cell: ({ email }) => (groups.get(email) ?? []).join(', ') || '–' },
    {
      name: 'May',
      kind: 'wide',
      cell: (member) => <FoldedScopes scopes={member.effective_scopes} />,
    },
    { name: 'Added', kind: 'wide', cell: ({ created_at: at }) => <Time at={at} /> },
    { name: 'Last sign-in', kind: 'optional', cell: ({ last_signed_in_at: at }) => (at ? <Time at={at} /> : 'never') },
    { name: 'Actions', kind: 'actions', cell: (member) => <Actions member={member} /> },
  ];
}

function Email({ member, groups }: { member: Member; groups: readonly string[] }): ReactNode {
  const { email, last_signed_in_at: at } = member;
  const isOwn = useCaller()?.member === email;
  return (
    <>
      <bdi className={styles.address} title={email}>
        {email}
      </bdi>{' '}
      {isOwn && <Tag>you</Tag>}
      <div className={styles.narrow}>
        {groups.map((name) => `${name}, `)}
        {at === null ? (
          'never signed in'
        ) : (
          <>
            signed in <Time at={at} />
          </>
        )}
      </div>
    </>
  );
}

function Actions({ member }: { member: Member }): ReactNode {
  const { id, email } = member;
  const isOwn = useCaller()?.member === email;
  const change: MenuAction = {
    name: 'Change role',
    children: (close) => <ChangeRole member={member} onClose={close} />,
  };
  const name = member.last_signed_in_at === null ? 'Invite again' : 'New sign-in link';
  const invite: MenuAction = {
    name,
    children: (close) => <InviteAgain member={member} action={name} onClose={close} />,
  };
  const remove = confirmAction({
    name: 'Remove',
    title: 'Remove the member?',
    run: () => aas.members.delete(id),
    changes: MEMBERS,
    children: (
      <>
        <bdi>{email}</bdi> is signed out, loses all API keys and leaves all groups. What they did stays in the audit
        log.
      </>
    ),
  });
  return <ActionMenu label={`Actions of ${email}`} actions={isOwn ? [change] : [change, invite, remove]} />;
}
