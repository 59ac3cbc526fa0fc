import { type ReactNode, useState } from 'react';
import { aas, fieldProblem } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { useCaller, useRefusal } from '../data/session.js';
import { ActionMenu, confirmAction, type MenuAction } from '../ui/action-menu.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { ActionForm, DialogButton } from '../ui/dialog-button.js';
import { TextField } from '../ui/field.js';
import { Empty } from '../ui/page.js';
import { Time } from '../ui/time.js';
import styles from './settings.module.css';
import { SettingsFrame } from './settings-frame.js';

type Secret = Awaited<ReturnType<typeof aas.secrets.list>>['data'][number];

const SECRETS = ['secrets'];

/** Lists secrets without their values, because the API does not return values. */
export function SecretsPage(): ReactNode {
  const refusal = useRefusal('secrets:write');
  const mayList = useCaller() !== undefined && refusal === null;
  const list = usePagedList(SECRETS, (page) => aas.secrets.list({ ...page, limit: 100 }), { enabled: mayList });
  return (
    <SettingsFrame
      title="Secrets"
      busy={list.isPending}
      error={list.error}
      refusal={refusal}
      actions={
        <DialogButton name="Create secret" look="primary" refusal={refusal}>
          {(close) => <SecretForm action="Create secret" onClose={close} />}
        </DialogButton>
      }
    >
      <PagedTable
        label="Secrets"
        columns={COLUMNS}
        rowKey={({ name }) => name}
        list={list}
        empty={
          <Empty title="No secret yet">
            <p>
              Agent definitions and sources refer to a secret as <code>{'${{ secrets.NAME }}'}</code>.
            </p>
          </Empty>
        }
      />
    </SettingsFrame>
  );
}

const COLUMNS: readonly Column<Secret>[] = [
  { name: 'Name', cell: ({ name }) => <code className={styles.breakable}>{name}</code> },
  { name: 'Created', kind: 'optional', cell: ({ created_at: at }) => <Time at={at} /> },
  { name: 'Value set', cell: ({ updated_at: at }) => <Time at={at} /> },
  { name: 'Actions', kind: 'actions', cell: (secret) => <Actions secret={secret} /> },
];

interface SecretFormProps {
  action: string;
  /** The secret whose value is replaced. Undefined for a new secret. */
  secret?: Secret;
  onClose: () => void;
}

function SecretForm({ action, secret, onClose }: SecretFormProps): ReactNode {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  return (
    <ActionForm
      action={action}
      run={() => aas.secrets.put(secret?.name ?? name, { value })}
      changes={SECRETS}
      onClose={onClose}
    >
      {(error) => (
        <>
          {secret === undefined && (
            <TextField
              label="Name"
              value={name}
              onChange={setName}
              code
              autoFocus
              hint="If a secret with this name exists, its value is replaced."
              problem={fieldProblem(error, '/name')}
            />
          )}
          <TextField
            label="Value"
            value={value}
            onChange={setValue}
            masked
            autoFocus={secret !== undefined}
            hint="The value is not shown again."
            problem={fieldProblem(error, '/value')}
          />
        </>
      )}
    </ActionForm>
  );
}

function Actions({ secret }: { secret: Secret }): ReactNode {
  const replace: MenuAction = {
    name: 'Replace value',
    title: `New value of ${secret.name}`,
    children: (close) => <SecretForm action="Replace value" secret={secret} onClose={close} />,
  };
  const remove = confirmAction({
    name: 'Delete',
    title: 'Delete the secret?',
    run: () => aas.secrets.delete(secret.name),
    changes: SECRETS,
    children: (
      <>
        Calls and syncs that use <code>{secret.name}</code> fail from now on.
      </>
    ),
  });
  return <ActionMenu label={`Actions of ${secret.name}`} actions={[replace, remove]} />;
}
