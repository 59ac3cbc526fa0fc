import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MAX_LISTED_AGENTS, useAgents } from '../data/agent-names.js';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { useCaller, useRefusal } from '../data/session.js';
import { ActionMenu, confirmAction, type MenuAction } from '../ui/action-menu.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { DialogButton } from '../ui/dialog-button.js';
import { Disclosure, Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Time } from '../ui/time.js';
import { ChangeForm, type Group, GROUPS, NewGroupForm } from './group-forms.js';
import { groupTasks } from './group-uses.js';
import styles from './settings.module.css';
import { SettingsFrame } from './settings-frame.js';

/** Lists groups of members. A group can be an approver and can have access to knowledge bases. */
export function GroupsPage(): ReactNode {
  const refusal = useRefusal('members:manage');
  const mayList = useCaller() !== undefined && refusal === null;
  const list = usePagedList(GROUPS, (page) => aas.groups.list({ ...page, limit: 100 }), { enabled: mayList });
  return (
    <SettingsFrame
      title="Groups"
      busy={list.isPending}
      error={list.error}
      refusal={refusal}
      actions={
        <DialogButton name="Create group" look="primary" refusal={refusal}>
          {(close) => <NewGroupForm onClose={close} />}
        </DialogButton>
      }
    >
      <PagedTable
        label="Groups"
        columns={COLUMNS}
        rowKey={({ name }) => name}
        list={list}
        empty={
          <Empty title="No group yet">
            <p>Agent definitions refer to groups as approvers. Create a group of the people who decide.</p>
            {refusal === null && (
              <Link to="/settings/groups" hash="create-group" className={styles.inText}>
                Create the first group
              </Link>
            )}
          </Empty>
        }
      />
    </SettingsFrame>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  { name: 'Name', cell: ({ name }) => <Name group={name} /> },
  { name: 'Members', cell: ({ members }) => <MemberList members={members} /> },
  { name: 'Created', kind: 'optional', cell: ({ created_at: at }) => <Time at={at} /> },
  { name: 'Actions', kind: 'actions', cell: (group) => <Actions group={group} /> },
];

/** The definitions are read only when a person asks for them. */
function Name({ group }: { group: string }): ReactNode {
  return (
    <>
      <bdi className={styles.breakable}>{group}</bdi>
      <Disclosure summary="Where it is used">
        <UsingAgents group={group} />
      </Disclosure>
    </>
  );
}

function UsingAgents({ group }: { group: string }): ReactNode {
  const agents = useAgents().slice(0, MAX_LISTED_AGENTS);
  const reads = useQueries({
    queries: agents.map(({ id, production_version: version }) => ({
      queryKey: ['agent', id, 'version', version],
      queryFn: () => aas.versions.get(id, version),
      staleTime: Infinity,
    })),
  });
  const uses = reads.flatMap(({ data }, index) => {
    const tasks = groupTasks(data?.definition, group);
    return tasks.length === 0 ? [] : [{ tasks, agent: agents[index]! }];
  });
  return (
    <>
      <ProblemAlert error={reads.find(({ error }) => error !== null)?.error} />
      <ul>
        {uses.map(({ agent: { id, name }, tasks }) => (
          <li key={id}>
            <Link to="/agents/$id" params={{ id }} className={styles.inText}>
              {name}
            </Link>{' '}
            <span className={styles.second}>{tasks.join(', ')}</span>
          </li>
        ))}
      </ul>
      {uses.length === 0 && (
        <p className={styles.second} role="status">
          {reads.some(({ isPending }) => isPending) ? 'Reading the agents …' : 'No production version names the group.'}
        </p>
      )}
    </>
  );
}

const SHOWN_MEMBERS = 3;

function MemberList({ members }: { members: readonly string[] }): ReactNode {
  if (members.length === 0) return <span className={styles.second}>no members</span>;
  if (members.length <= SHOWN_MEMBERS) return <bdi className={styles.breakable}>{members.join(', ')}</bdi>;
  return (
    <details className={styles.disclosure}>
      <summary>{members.length} members</summary>
      <bdi className={styles.breakable}>{members.join(', ')}</bdi>
    </details>
  );
}

/** Says how many approvals wait for the group. Approvals that no one else could decide expire with the group. */
function OpenApprovals({ group }: { group: string }): ReactNode {
  const { data } = useQuery({
    queryKey: ['approvals', 'open'],
    queryFn: () => aas.approvals.list({ status: ['open'], limit: 100 }),
  });
  const count = data?.data.filter(({ approvers }) => approvers.includes(group)).length ?? 0;
  if (count === 0) return null;
  return (
    <strong>
      {count === 1 ? '1 open approval needs' : `${count} open approvals need`} its members. An approval that only this
      group may decide expires.
    </strong>
  );
}

function Actions({ group }: { group: Group }): ReactNode {
  const change: MenuAction = {
    name: 'Change members',
    title: `Members of ${group.name}`,
    children: (close) => <ChangeForm group={group} onClose={close} />,
  };
  const remove = confirmAction({
    name: 'Delete',
    title: 'Delete the group?',
    run: () => aas.groups.delete(group.name),
    changes: GROUPS,
    children: (
      <>
        Its members can no longer approve for <bdi>{group.name}</bdi>, and lose access to knowledge bases that only the
        group can read. <OpenApprovals group={group.name} />
      </>
    ),
  });
  return <ActionMenu label={`Actions of ${group.name}`} actions={[change, remove]} />;
}
