import { type ReactNode, useState } from 'react';
import { useKnownAgents, useKnownMembers } from '../data/known-things.js';
import { aas, type Caller, fieldProblem } from '../data/api.js';
import { ActionForm, DialogButton } from '../ui/dialog-button.js';
import { ComboField, MultiComboField } from '../ui/combo-box.js';
import { Choice, TextField } from '../ui/field.js';
import { ShownOnce } from '../ui/copy-button.js';
import { Disclosure } from '../ui/page.js';
import { wordOptions } from '../data/words.js';
import { expiryTime, ExpiryChoice, GraceChoice, USUAL_EXPIRY, USUAL_GRACE } from '../ui/periods.js';
import { type Role, RoleChoice } from './roles.js';
import { scopeSummary } from './scope-summary.js';
import styles from './settings.module.css';

export type ApiKey = Awaited<ReturnType<typeof aas.apiKeys.list>>['data'][number];
/** A person creates no key of kind `mcp`. */
type KeyKind = Exclude<ApiKey['kind'], 'mcp'>;

export const KEYS = ['api-keys'] as const;

type Scope = Caller['scopes'][number];

interface Draft {
  name: string;
  role: Role;
  kind: KeyKind;
  member: string;
  /** Scopes of the key. If empty, the key has all scopes of its role. */
  scopes: Scope[];
  /** Ids of the agents that exist for the key. If empty, all agents do. */
  agents: string[];
  /** Whether the key is barred from approvals and questions. */
  automation: boolean;
  expiry: string;
}

export interface CreateKeyProps {
  caller: Caller | undefined;
  refusal: string | null;
}

export function CreateKey({ caller, refusal }: CreateKeyProps): ReactNode {
  return (
    <DialogButton name="Create key" look="primary" refusal={refusal}>
      {(close) => caller && <KeyForm caller={caller} onClose={close} />}
    </DialogButton>
  );
}

function KeyForm({ caller, onClose }: { caller: Caller; onClose: () => void }): ReactNode {
  const [draft, setDraft] = useState<Draft>({
    name: '',
    role: 'viewer',
    kind: 'live',
    member: caller.member,
    scopes: [],
    agents: [],
    automation: false,
    expiry: USUAL_EXPIRY,
  });
  const create = (): Promise<{ key: string }> => {
    const { name, role, kind, member, scopes, agents, automation, expiry } = draft;
    const expires_at = expiryTime(expiry, Date.now());
    const limits = { ...(scopes.length > 0 && { scopes }), ...(agents.length > 0 && { agents }) };
    return aas.apiKeys.create({ name, role, kind, member, automation, expires_at, ...limits });
  };
  return (
    <ActionForm
      action="Create key"
      run={create}
      changes={KEYS}
      onClose={onClose}
      outcome={({ key }) => <NewKey text={key} />}
    >
      {(error) => (
        <KeyFields
          draft={draft}
          onChange={(change) => setDraft({ ...draft, ...change })}
          ownScopes={caller.scopes}
          error={error}
        />
      )}
    </ActionForm>
  );
}

interface KeyFieldsProps {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  /** Scopes of the signed-in person. A key cannot have a scope that the person who creates it lacks. */
  ownScopes: readonly Scope[];
  error: unknown;
}

function KeyFields({ draft, onChange, ownScopes, error }: KeyFieldsProps): ReactNode {
  const members = useKnownMembers();
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => onChange({ name })}
        autoFocus
        problem={fieldProblem(error, '/name')}
      />
      <ComboField
        label="Member"
        empty="Choose a member"
        value={draft.member}
        onChange={(member) => onChange({ member })}
        {...members}
        hint="The key acts for this person and never has more permissions than the person."
        problem={fieldProblem(error, '/member')}
      />
      <div className={styles.pair}>
        <RoleChoice value={draft.role} onChange={(role) => onChange({ role })} problem={fieldProblem(error, '/role')} />
        <Choice
          label="Kind"
          value={draft.kind}
          onChange={(kind) => onChange({ kind: kind === 'test' ? 'test' : 'live' })}
          options={wordOptions('keyKind', ['live', 'test'])}
          hint={draft.kind === 'test' ? 'The key changes nothing in production.' : 'The key starts runs in both modes.'}
          problem={fieldProblem(error, '/kind')}
        />
      </div>
      <ExpiryChoice
        value={draft.expiry}
        onChange={(expiry) => onChange({ expiry })}
        problem={fieldProblem(error, '/expires_at')}
      />
      <Disclosure summary={limitsOf(draft)}>
        <KeyLimits draft={draft} onChange={onChange} ownScopes={ownScopes} error={error} />
      </Disclosure>
    </>
  );
}

function limitsOf({ scopes, agents, automation }: Draft): string {
  const may = scopes.length === 0 ? 'Everything that the role may do' : scopeSummary(scopes);
  const where = agents.length === 0 ? 'all agents' : agents.length === 1 ? '1 agent' : `${agents.length} agents`;
  return `${may}, ${where}${automation ? ', no approvals' : ''}`;
}

function KeyLimits({ draft, onChange, ownScopes, error }: KeyFieldsProps): ReactNode {
  const agents = useKnownAgents();
  return (
    <div className={styles.limits}>
      <MultiComboField
        label="Scopes"
        noun="scope"
        chosen={draft.scopes}
        onChange={(chosen) => onChange({ scopes: ownScopes.filter((scope) => chosen.includes(scope)) })}
        options={wordOptions('scope', ownScopes)}
        hint="If you choose none, the key has all scopes of the role."
        problem={fieldProblem(error, '/scopes')}
      />
      <MultiComboField
        label="Agents"
        noun="agent"
        chosen={draft.agents}
        onChange={(chosen) => onChange({ agents: chosen })}
        options={agents.options}
        onSearch={agents.onSearch}
        hint="Other agents, and their runs, do not exist for the key. If you choose none, the key sees all agents."
        problem={fieldProblem(error, '/agents')}
      />
      <Choice
        label="Approvals"
        value={draft.automation ? 'never' : 'member'}
        onChange={(value) => onChange({ automation: value === 'never' })}
        options={[
          { value: 'member', label: 'as its member' },
          { value: 'never', label: 'never (a key of a machine)' },
        ]}
        hint={
          draft.automation
            ? 'The key decides no approval and answers no question.'
            : 'The key decides the approvals that its member may decide.'
        }
        problem={fieldProblem(error, '/automation')}
      />
    </div>
  );
}

function NewKey({ text }: { text: string }): ReactNode {
  return (
    <ShownOnce label="API key" text={text}>
      Copy the key now: it is not shown again.
    </ShownOnce>
  );
}

export function RotateKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }): ReactNode {
  const [grace, setGrace] = useState(USUAL_GRACE);
  return (
    <ActionForm
      action="Rotate"
      run={() => aas.apiKeys.rotate(apiKey.id, { grace_seconds: grace })}
      changes={KEYS}
      onClose={onClose}
      outcome={({ key }) => <NewKey text={key} />}
    >
      {() => (
        <>
          <p>
            <bdi>{apiKey.name}</bdi> gets a new value. Its role, scopes, agents and expiry do not change.
          </p>
          <GraceChoice value={grace} onChange={setGrace} />
        </>
      )}
    </ActionForm>
  );
}
