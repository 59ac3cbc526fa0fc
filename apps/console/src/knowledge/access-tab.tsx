import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { useAgents } from '../data/agent-names.js';
import { aas, ApiError, problemPlaces } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { one, type Search } from '../data/search.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { Checklist, TextField } from '../ui/field.js';
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
  // When the list of readers is fetched again, the form keeps the typed text and the `ETag` of the list on which the
  // text is based. If another person has changed the list in the meantime, the API therefore rejects the save.
  const [base, setBase] = useState(read);
  const [texts, setTexts] = useState<AccessTexts>(() => textsOfAccess(read.access));
  const refusal = useRefusal('knowledge:grant');
  const save = useMutation({
    mutationFn: () => replaceAccess(id, texts, base.version),
    onSuccess: (saved) => {
      setBase(saved);
      setTexts(textsOfAccess(saved.access));
      queryClient.setQueryData(accessKey(id), saved);
      void queryClient.invalidateQueries({ queryKey: [...BASES, 'list'] });
    },
  });
  const reload = async (): Promise<void> => {
    const present = await readAccess(id);
    queryClient.setQueryData(accessKey(id), present);
    setBase(present);
    setTexts(textsOfAccess(present.access));
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
        <ReaderFields texts={texts} onChange={setTexts} error={save.error} />
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

/** The readers of a knowledge base as texts of form fields. Each text has one entry per line. */
interface AccessTexts {
  users: string;
  groups: string;
  channels: string;
  agents: readonly string[];
}

function textsOfAccess({ users, groups, channels, agents }: Access): AccessTexts {
  return { users: users.join('\n'), groups: groups.join('\n'), channels: channels.join('\n'), agents };
}

/** Converts the texts to the complete list of readers. Ignores empty lines. */
function accessOf({ users, groups, channels, agents }: AccessTexts): Omit<Access, 'data'> {
  return { users: linesOf(users), groups: linesOf(groups), channels: linesOf(channels), agents: [...agents] };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

async function replaceAccess(id: string, texts: AccessTexts, expected: string | undefined): Promise<ReadAccess> {
  let version: string | undefined;
  const access = await aas.knowledgeBases.replaceAccess(id, accessOf(texts), {
    ...(expected !== undefined && { ifMatch: expected }),
    onResponse: ({ headers }) => (version = etagOf(headers)),
  });
  return { access, version };
}

interface ReaderFieldsProps {
  texts: AccessTexts;
  onChange: (texts: AccessTexts) => void;
  error: unknown;
}

function ReaderFields({ texts, onChange, error }: ReaderFieldsProps): ReactNode {
  const places = problemPlaces(error);
  const agents = useAgents();
  const unlisted = texts.agents.filter((id) => !agents.some((agent) => agent.id === id));
  const options = [
    ...agents.map(({ id, name }) => ({ value: id, label: name })),
    ...unlisted.map((value) => ({ value })),
  ];
  return (
    <>
      <Checklist
        label="Agents"
        chosen={texts.agents}
        onChange={(chosen) => onChange({ ...texts, agents: chosen })}
        options={options}
        hint={options.length === 0 ? 'The workspace has no agent yet.' : undefined}
        problem={problemAt(places, '/agents')}
      />
      {LISTS.map(({ name, label, hint }) => (
        <TextField
          key={name}
          label={label}
          value={texts[name]}
          onChange={(text) => onChange({ ...texts, [name]: text })}
          hint={hint}
          problem={problemAt(places, `/${name}`, texts[name])}
          multiline
          code
        />
      ))}
    </>
  );
}

const LISTS = [
  { name: 'users', label: 'Users', hint: 'E-mail addresses of people, one entry a line.' },
  { name: 'groups', label: 'Groups', hint: 'Names of groups, one entry a line.' },
  {
    name: 'channels',
    label: 'Channels',
    hint: '<channel type>:<channel id>, for example slack:C0123, one entry a line.',
  },
] as const;
