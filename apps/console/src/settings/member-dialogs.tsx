import { type ReactNode, useRef, useState } from 'react';
import { aas, fieldProblem, unknownValues } from '../data/api.js';
import { useKnownGroups } from '../data/known-things.js';
import { queryClient } from '../data/query-client.js';
import { MultiComboField } from '../ui/combo-box.js';
import { ActionForm, DialogButton } from '../ui/dialog-button.js';
import { TextField } from '../ui/field.js';
import { InvitationLink, MEMBERS, type NewInvitation } from './invitation.js';
import { type Role, RoleChoice } from './roles.js';
import styles from './settings.module.css';

export type Member = Awaited<ReturnType<typeof aas.members.list>>['data'][number];

export function InviteMember({ refusal }: { refusal: string | null }): ReactNode {
  return (
    <DialogButton name="Invite member" look="primary" refusal={refusal}>
      {(close) => <InvitationForm onClose={close} />}
    </DialogButton>
  );
}

/** Adds a member. Creates those of the groups that do not exist. */
async function addMember(person: { email: string; role: Role; groups: string[] }): Promise<Member> {
  try {
    return await aas.members.create(person);
  } catch (error) {
    for (const name of unknownValues(error, '/groups', person.groups)) await aas.groups.create({ name, members: [] });
    return aas.members.create(person);
  }
}

function InvitationForm({ onClose }: { onClose: () => void }): ReactNode {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [groups, setGroups] = useState<string[]>([]);
  /** The member that this form has added. If sending the invitation failed, the next attempt only sends it again. */
  const added = useRef<{ typed: string; member: Member }>(undefined);
  const invite = async (): Promise<NewInvitation> => {
    if (added.current?.typed !== email) {
      added.current = { typed: email, member: await addMember({ email, role, groups }) };
      void queryClient.invalidateQueries({ queryKey: ['groups'] });
    }
    const { member } = added.current;
    if (member.role !== role) await aas.members.update(member.id, { role });
    return { email: member.email, invitation: await aas.members.invite(member.id) };
  };
  return (
    <ActionForm
      action="Invite member"
      run={invite}
      changes={MEMBERS}
      onClose={onClose}
      outcome={(made) => <InvitationLink {...made} />}
    >
      {(error) => (
        <>
          <TextField
            label="E-mail"
            value={email}
            onChange={setEmail}
            inputMode="email"
            autoFocus
            problem={fieldProblem(error, '/email')}
          />
          <RoleChoice value={role} onChange={setRole} problem={fieldProblem(error, '/role')} />
          {added.current?.typed !== email && <GroupsField chosen={groups} onChange={setGroups} error={error} />}
        </>
      )}
    </ActionForm>
  );
}

interface GroupsFieldProps {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  error: unknown;
}

function GroupsField({ chosen, onChange, error }: GroupsFieldProps): ReactNode {
  const { options, onSearch, isComplete } = useKnownGroups();
  const created = chosen.filter((name) => !options.some(({ value }) => value === name));
  return (
    <>
      <MultiComboField
        label="Groups"
        noun="group"
        chosen={chosen}
        onChange={onChange}
        options={options}
        onSearch={onSearch}
        others={{ form: 'the name of a new group', read: (text) => text }}
        hint="The person decides the approvals of these groups. To create a group, type its name."
        problem={fieldProblem(error, '/groups') ?? fieldProblem(error, '/name')}
      />
      <p className={styles.second} role="status">
        {isComplete && created.length > 0 && `Created when you save: ${created.join(', ')}.`}
      </p>
    </>
  );
}

interface MemberFormProps {
  member: Member;
  onClose: () => void;
}

/** `action`: a member who has already signed in is not invited, but may need another link. */
export function InviteAgain({ member: { id, email }, action, onClose }: InviteAgainProps): ReactNode {
  return (
    <ActionForm
      action={action}
      run={() => aas.members.invite(id)}
      changes={MEMBERS}
      onClose={onClose}
      outcome={(invitation) => <InvitationLink email={email} invitation={invitation} />}
    >
      {() => (
        <p>
          Creates a new link with which <bdi>{email}</bdi> can sign in. The previous link stops working.
        </p>
      )}
    </ActionForm>
  );
}

type InviteAgainProps = MemberFormProps & { action: string };

export function ChangeRole({ member, onClose }: MemberFormProps): ReactNode {
  const [role, setRole] = useState(member.role);
  return (
    <ActionForm
      action="Change role"
      run={() => aas.members.update(member.id, { role })}
      changes={MEMBERS}
      onClose={onClose}
    >
      {(error) => (
        <>
          <p>
            <bdi>{member.email}</bdi> is signed out, and all their API keys are limited to the new role.
          </p>
          <RoleChoice value={role} onChange={setRole} problem={fieldProblem(error, '/role')} />
        </>
      )}
    </ActionForm>
  );
}
