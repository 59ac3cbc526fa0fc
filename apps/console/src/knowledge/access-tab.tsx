import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { MissingGroups } from '../agents/missing-groups.js';
import { useAgents } from '../data/agent-names.js';
import { aas, ApiError, problemPlaces } from '../data/api.js';
import { EMAILS, type KnownThings, useKnownAgents, useKnownGroups, useKnownMembers } from '../data/known-things.js';
import { queryClient } from '../data/query-client.js';
import { one, type Search } from '../data/search.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { MultiComboField } from '../ui/combo-box.js';
import type { OtherValues } from '../data/known-options.js';
import { Card, Columns } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { problemAt } from './field-problems.js';
import { GrantsTable } from './grants-table.js';
import styles from './knowledge.module.css';
import { BASES, baseKey } from './knowledge-queries.js';
import type { Access, BaseTabProps } from './knowledge-types.js';

/** The readers of a knowledge base with their `ETag`. A save sends the `ETag` as `If-Match`. */
interface ReadAccess {
  access: Access;
  version: string | undefined;
}

export function AccessTab({ id }: BaseTabProps): ReactNode {
  const search: Search = useSearch({ strict: false });
  const { data, error, isPending } = useQuery({ queryKey: accessKey(id), queryFn: () => readAccess(id) });
  return (
    <div className={styles.stack} aria-busy={isPending}>
      <ProblemAlert error={error} />
      {data && (
        <Columns
          main={<AccessForm id={id} read={data} />}
          side={<GrantsTable grants={data.access.data} agent={one(search.agent)} />}
        />
      )}
    </div>
  );
}

const accessKey = (id: string): readonly unknown[] => [...baseKey(id), 'access'];

async function readAccess(id: string): Promise<ReadAccess> {
  let version: string | undefined;
  const access = await aas.knowledgeBases.getAccess(id, { onResponse: ({ headers }) => (version = etagOf(headers)) });
  return { access, version };
}

/** Returns the `ETag` without its quotes, as the API client expects it. */
function etagOf(headers: Headers): string | undefined {
  return headers.get('etag')?.replace(/^(W\/)?"(.*)"$/, '$2');
}

function AccessForm({ id, read }: { id: string; read: ReadAccess }): ReactNode {
  // When the list of readers is fetched again, the form keeps the chosen readers and the `ETag` of the list on
  // which they are based. If another person has changed the list in the meantime, the API therefore rejects the save.
  const [base, setBase] = useState(read);
  const [readers, setReaders] = useState(() => readersOf(read.access));
  const refusal = useRefusal('knowledge:grant');
  const save = useMutation({
    mutationFn: () => replaceAccess(id, readers, base.version),
    onSuccess: (saved) => {
      setBase(saved);
      setReaders(readersOf(saved.access));
      queryClient.setQueryData(accessKey(id), saved);
      void queryClient.invalidateQueries({ queryKey: [...BASES, 'list'] });
    },
  });
  const reload = async (): Promise<void> => {
    const present = await readAccess(id);
    queryClient.setQueryData(accessKey(id), present);
    setBase(present);
    setReaders(readersOf(present.access));
    save.reset();
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (refusal === null && !save.isPending) save.mutate();
  };
  const isOutdated = save.error instanceof ApiError && save.error.status === 412;
  return (
    <Card title="Access">
      <form className={styles.fields} onSubmit={submit} noValidate>
        <p className={styles.second}>
          A run can read this knowledge base only if two grants exist: one for its agent, and one for the person or
          channel that started it.
        </p>
        <MissingGroups groups={read.access.groups} effect={NO_READER} />
        <ReaderFields readers={readers} onChange={setReaders} error={save.error} />
        <ProblemAlert error={save.error} />
        <div className={styles.bar}>
          <Button
            type="submit"
            look="primary"
            refusal={refusal ?? (save.isPending ? 'The grants are being saved.' : null)}
          >
            Save access
          </Button>
          {isOutdated && <Button onClick={() => void reload()}>Load present access</Button>}
          <span role="status" className={styles.second}>
            {save.isSuccess && 'Saved.'}
          </span>
        </div>
      </form>
    </Card>
  );
}

const NO_READER =
  'Its grant lets no person read this knowledge base. Create the group with the people who start runs, or remove it here.';

/** The readers that the form shows. */
type Readers = Omit<Access, 'data'>;

function readersOf({ users, groups, channels, agents }: Access): Readers {
  return { users, groups, channels, agents };
}

async function replaceAccess(id: string, readers: Readers, expected: string | undefined): Promise<ReadAccess> {
  let version: string | undefined;
  const access = await aas.knowledgeBases.replaceAccess(id, readers, {
    ...(expected !== undefined && { ifMatch: expected }),
    onResponse: ({ headers }) => (version = etagOf(headers)),
  });
  return { access, version };
}

interface ReaderFieldsProps {
  readers: Readers;
  onChange: (readers: Readers) => void;
  error: unknown;
}

function ReaderFields({ readers, onChange, error }: ReaderFieldsProps): ReactNode {
  const places = problemPlaces(error);
  const known = useKnownReaders();
  return READERS.map(({ name, label, noun, hint, others }) => {
    const { options, onSearch, isComplete } = known[name];
    return (
      <MultiComboField
        key={name}
        label={label}
        noun={noun}
        chosen={readers[name]}
        onChange={(chosen) => onChange({ ...readers, [name]: chosen })}
        options={options}
        onSearch={onSearch}
        others={name === 'groups' && isComplete ? undefined : others}
        hint={hint}
        problem={problemAt(places, `/${name}`)}
      />
    );
  });
}

/** Reads the agents, members and groups of the workspace, and the mailboxes of its agents. */
function useKnownReaders(): Record<keyof Readers, KnownThings> {
  const agents = useKnownAgents();
  const mailboxes = useAgents().flatMap(({ triggers }) => triggers.flatMap(({ mailbox }) => mailbox ?? []));
  const channels = [...new Set(mailboxes)].map((mailbox) => ({ value: `email:${mailbox}`, label: mailbox }));
  return {
    agents,
    users: useKnownMembers(),
    groups: useKnownGroups(),
    channels: { ...agents, options: channels },
  };
}

const READERS: readonly {
  name: keyof Readers;
  label: string;
  noun: string;
  hint: string;
  others?: OtherValues;
}[] = [
  { name: 'agents', label: 'Agents', noun: 'agent', hint: 'Agents that may read this knowledge base.' },
  { name: 'users', label: 'People', noun: 'person', hint: 'People who start runs of these agents.', others: EMAILS },
  {
    name: 'groups',
    label: 'Groups',
    noun: 'group',
    hint: 'Groups of people who start runs of these agents.',
    // Only people who manage members can list the groups.
    others: { form: 'the name of a group', read: (text) => text },
  },
  {
    name: 'channels',
    label: 'Mailboxes and channels',
    noun: 'channel',
    hint: 'Mailboxes whose mails start runs of these agents, for example email:desk@example.com.',
    others: {
      form: 'a channel such as email:desk@example.com',
      read: (text) => (/^[a-z][\w.-]*:\S+$/i.test(text) ? text : undefined),
    },
  },
];
