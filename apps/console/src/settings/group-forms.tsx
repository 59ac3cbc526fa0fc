import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { aas, fieldProblem, unknownValues } from '../data/api.js';
import { EMAILS, useKnownMembers } from '../data/known-things.js';
import { queryClient } from '../data/query-client.js';
import { one, type Search } from '../data/search.js';
import { MultiComboField } from '../ui/combo-box.js';
import { ActionForm } from '../ui/dialog-button.js';
import { TextField } from '../ui/field.js';
import { InvitationLink, MEMBERS, type NewInvitation } from './invitation.js';
import styles from './settings.module.css';

export type Group = Awaited<ReturnType<typeof aas.groups.list>>['data'][number];

export const GROUPS = ['groups'];

type Save = (name: string, chosen: readonly string[]) => Promise<NewInvitation[]>;

/** Saves a group and invites the chosen people who are no members. After a failure, the next call continues. */
function useSaveGroup(existing?: string): Save {
  const saved = useRef(existing);
  const people = useRef(new Map<string, string>());
  const invitations = useRef(new Map<string, NewInvitation>());
  return async (name, chosen) => {
    const write = (members: string[]): Promise<Group> =>
      saved.current === name ? aas.groups.update(name, { members }) : aas.groups.create({ name, members });
    const strangers: string[] = [];
    try {
      await write([...chosen]);
    } catch (error) {
      strangers.push(...unknownValues(error, '/members', chosen));
      await write(chosen.filter((email) => !strangers.includes(email)));
    }
    saved.current = name;
    for (const email of strangers) {
      const { id } = await aas.members.create({ email, role: 'viewer', groups: [name] });
      people.current.set(email, id);
    }
    for (const [email, id] of people.current)
      if (!invitations.current.has(email))
        invitations.current.set(email, { email, invitation: await aas.members.invite(id) });
    if (people.current.size > 0) void queryClient.invalidateQueries({ queryKey: MEMBERS });
    return [...invitations.current.values()];
  };
}

interface MembersFieldProps {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  error: unknown;
}

function MembersField({ chosen, onChange, error }: MembersFieldProps): ReactNode {
  const { options, onSearch, isComplete } = useKnownMembers();
  const strangers = chosen.filter((email) => !options.some(({ value }) => value === email.toLowerCase()));
  return (
    <>
      <MultiComboField
        label="Members"
        noun="member"
        chosen={chosen}
        onChange={onChange}
        options={options}
        onSearch={onSearch}
        others={EMAILS}
        hint="To invite a person who is not a member yet, type the e-mail address."
        problem={fieldProblem(error, '/members') ?? fieldProblem(error, '/email')}
      />
      <p className={styles.second} role="status">
        {isComplete && strangers.length > 0 && `Invited as viewer when you save: ${strangers.join(', ')}.`}
      </p>
    </>
  );
}

/** A link to this page can contain the name of the group to create, and the page that needs the group. */
export function NewGroupForm({ onClose }: { onClose: () => void }): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [name, setName] = useState(one(search.name) ?? '');
  const [members, setMembers] = useState<string[]>([]);
  const save = useSaveGroup();
  const from = /^\/\w.*$/.exec(one(search.from) ?? '')?.[0];
  return (
    <ActionForm
      action="Create group"
      run={() => save(name, members)}
      changes={GROUPS}
      onDone={(invitations) => {
        if (from !== undefined && invitations.length === 0) void navigate({ href: `/console${from}` });
      }}
      outcome={(invitations) => invitationLinks(invitations, from)}
      onClose={onClose}
    >
      {(error) => (
        <>
          <TextField label="Name" value={name} onChange={setName} autoFocus problem={fieldProblem(error, '/name')} />
          <MembersField chosen={members} onChange={setMembers} error={error} />
        </>
      )}
    </ActionForm>
  );
}

function invitationLinks(invitations: readonly NewInvitation[], from?: string): ReactNode {
  if (invitations.length === 0) return null;
  return (
    <>
      {invitations.map((made) => (
        <InvitationLink key={made.email} {...made} />
      ))}
      {from !== undefined && (
        <a href={`/console${from}`} className={styles.inText}>
          Back to the page that needs the group
        </a>
      )}
    </>
  );
}

export function ChangeForm({ group, onClose }: { group: Group; onClose: () => void }): ReactNode {
  const [members, setMembers] = useState(group.members);
  const save = useSaveGroup(group.name);
  return (
    <ActionForm
      action="Change members"
      run={() => save(group.name, members)}
      changes={GROUPS}
      outcome={(invitations) => invitationLinks(invitations)}
      onClose={onClose}
    >
      {(error) => <MembersField chosen={members} onChange={setMembers} error={error} />}
    </ActionForm>
  );
}
