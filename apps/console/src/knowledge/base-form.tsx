import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { aas, fieldProblem } from '../data/api.js';
import { useRefusal, useWorkspace } from '../data/session.js';
import { ActionForm, DialogButton } from '../ui/dialog-button.js';
import { Choice, TextField } from '../ui/field.js';
import { FURTHER_FORM, LANGUAGE_FORM, SETTINGS_FORM } from './base-settings.js';
import styles from './knowledge.module.css';
import { BASES } from './knowledge-queries.js';
import type { KnowledgeBase } from './knowledge-types.js';
import { type FormTexts, patchOfForm, textsOf, valueOfForm } from './schema-form.js';
import { SchemaFields } from './schema-fields.js';

export function CreateBase(): ReactNode {
  const refusal = useRefusal('knowledge:write');
  return (
    <DialogButton name="Create knowledge base" look="primary" refusal={refusal}>
      {(close) => <CreateForm onClose={close} />}
    </DialogButton>
  );
}

function CreateForm({ onClose }: { onClose: () => void }): ReactNode {
  const [fields, setFields] = useState<BaseTexts>({ name: '', description: '', settings: {} });
  const [region, setRegion] = useState('');
  const regions = useWorkspace()?.regions ?? [];
  const navigate = useNavigate();
  const create = (): Promise<KnowledgeBase> =>
    aas.knowledgeBases.create({
      name: fields.name,
      ...(fields.description !== '' && { description: fields.description }),
      ...(region !== '' && { region }),
      settings: valueOfForm(SETTINGS_FORM, fields.settings),
    });
  return (
    <ActionForm
      action="Create knowledge base"
      run={create}
      changes={BASES}
      onDone={({ id }) => void navigate({ to: '/knowledge/$id', params: { id } })}
      onClose={onClose}
    >
      {(error) => (
        <BaseFields fields={fields} onChange={setFields} error={error}>
          {regions.length > 1 && (
            <Choice
              label="Region"
              value={region === '' ? (regions[0] ?? '') : region}
              onChange={setRegion}
              options={regions.map((value) => ({ value }))}
              hint="The region cannot be changed later."
              problem={fieldProblem(error, '/region')}
            />
          )}
        </BaseFields>
      )}
    </ActionForm>
  );
}

export function ChangeBase({ base }: { base: KnowledgeBase }): ReactNode {
  const refusal = useRefusal('knowledge:write');
  return (
    <DialogButton name="Change" title={`Change ${base.name}`} refusal={refusal}>
      {(close) => <ChangeForm base={base} onClose={close} />}
    </DialogButton>
  );
}

function ChangeForm({ base, onClose }: { base: KnowledgeBase; onClose: () => void }): ReactNode {
  const [before] = useState(() => textsOf(SETTINGS_FORM, base.settings));
  const { name, description } = base;
  const [fields, setFields] = useState<BaseTexts>({ name, description, settings: before });
  const change = (): Promise<KnowledgeBase> =>
    aas.knowledgeBases.update(base.id, {
      name: fields.name,
      description: fields.description,
      settings: patchOfForm(SETTINGS_FORM, before, fields.settings),
    });
  return (
    <ActionForm action="Change" run={change} changes={BASES} onClose={onClose}>
      {(error) => (
        <>
          <BaseFields fields={fields} onChange={setFields} error={error} />
          <p className={styles.second}>
            A change of chunking, embedding or language builds a new index. Until it is complete, searches use the
            current index.
          </p>
        </>
      )}
    </ActionForm>
  );
}

interface BaseTexts {
  name: string;
  description: string;
  settings: FormTexts;
}

interface BaseFieldsProps {
  fields: BaseTexts;
  onChange: (fields: BaseTexts) => void;
  error: unknown;
  children?: ReactNode;
}

function BaseFields({ fields, onChange, error, children }: BaseFieldsProps): ReactNode {
  const settings = {
    texts: fields.settings,
    onChange: (change: (texts: FormTexts) => FormTexts) => onChange({ ...fields, settings: change(fields.settings) }),
    error,
    at: '/settings',
  };
  return (
    <>
      <TextField
        label="Name"
        value={fields.name}
        onChange={(name) => onChange({ ...fields, name })}
        hint="Agent definitions refer to the knowledge base by this name."
        problem={fieldProblem(error, '/name')}
        autoFocus
      />
      <TextField
        label="Description"
        value={fields.description}
        onChange={(description) => onChange({ ...fields, description })}
        problem={fieldProblem(error, '/description')}
      />
      {children}
      <SchemaFields entries={LANGUAGE_FORM} {...settings} />
      <details className={styles.details}>
        <summary>Retrieval, embedding, chunking and deletions</summary>
        <div className={styles.fields}>
          <SchemaFields entries={FURTHER_FORM} {...settings} />
        </div>
      </details>
    </>
  );
}
