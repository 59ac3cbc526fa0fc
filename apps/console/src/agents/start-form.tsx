import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { aas, type Agent, fieldProblem } from '../data/api.js';
import { jsonOrText } from '../data/json-or-text.js';
import { useRefusal } from '../data/session.js';
import { FileField } from '../files/file-field.js';
import { useUploadRefusal } from '../files/uploads.js';
import { Button } from '../ui/button.js';
import { Choice, TextField } from '../ui/field.js';
import { Card, Disclosure } from '../ui/page.js';
import { useLinked } from '../ui/linked.js';
import { ProblemAlert } from '../ui/problem.js';
import styles from './agents.module.css';
import { CurlExample } from './curl-example.js';
import { exampleInput, type InputField, inputFields, inputOf, optionText } from './input-fields.js';

export interface StartFormProps {
  agent: Agent;
  definition: unknown;
  /** Names of the input properties in the order in which the form shows them. */
  order: readonly string[];
}

const TITLE = 'Start a run';

export function StartForm({ agent, definition, order }: StartFormProps): ReactNode {
  const fields = inputFields((definition as { input?: unknown }).input, order);
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [json, setJson] = useState('{}');
  const refusal = useRefusal('agents:run');
  const navigate = useNavigate();
  const input = (fields ? inputOf(fields, texts) : jsonOrText(json)) as Record<string, unknown>;
  const start = useMutation({
    mutationFn: (mode: 'production' | 'test') => aas.runs.start(agent.id, { mode, input }),
    onSuccess: ({ id }) => void navigate({ to: '/runs/$id', params: { id } }),
  });
  const uploading = useUploadRefusal();
  const form = useRef<HTMLDivElement>(null);
  useLinked(TITLE, () => form.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus());
  const busy =
    refusal ??
    uploading ??
    (agent.status === 'archived' ? 'The agent is archived.' : null) ??
    (start.isPending ? 'The run is being started.' : null);
  return (
    <Card title={TITLE}>
      <div ref={form} className={styles.form}>
        {fields?.map((field) => (
          <InputFieldControl
            key={field.name}
            field={field}
            value={texts[field.name] ?? ''}
            onChange={(text) => setTexts((before) => ({ ...before, [field.name]: text }))}
            problem={fieldProblem(start.error, `/input/${field.name}`)}
          />
        ))}
        {fields === undefined && <TextField label="Input" value={json} onChange={setJson} multiline code hint="JSON" />}
        <ProblemAlert error={start.error} />
        <div className={styles.buttons}>
          <Button look="primary" refusal={busy} onClick={() => start.mutate('test')}>
            Start test run
          </Button>
          <Button refusal={busy} onClick={() => start.mutate('production')}>
            Start run
          </Button>
        </div>
        <p className={styles.second}>A test run simulates write operations. A run executes them.</p>
      </div>
      <Disclosure summary="Start a test run with curl">
        <CurlExample
          path={`/v1/agents/${agent.id}/runs`}
          header={['Authorization', 'Bearer <API key>']}
          body={{ mode: 'test', input: fields ? { ...exampleInput(fields), ...input } : input }}
        />
      </Disclosure>
    </Card>
  );
}

const HINTS: Readonly<Partial<Record<InputField['kind'], string>>> = { texts: 'One entry a line.', json: 'JSON.' };

export interface InputFieldControlProps {
  field: InputField;
  value: string;
  onChange: (text: string) => void;
  problem: string | undefined;
}

export function InputFieldControl({ field, problem, ...rest }: InputFieldControlProps): ReactNode {
  const { label, hint, kind, options, isRequired, rule } = field;
  const shared = {
    ...rest,
    label,
    problem,
    hint: [isRequired ? 'Required.' : '', HINTS[kind] ?? '', hint ?? ''].filter(Boolean).join(' ') || undefined,
  };
  if (rule) return <FileField {...shared} rule={rule} isList={kind === 'files'} />;
  if (kind === 'choice')
    return (
      <Choice
        {...shared}
        options={[{ value: '', label: 'Not set' }, ...options.map((value) => ({ value: optionText(value) }))]}
      />
    );
  return (
    <TextField
      {...shared}
      multiline={kind === 'texts' || kind === 'json'}
      code={kind === 'json'}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
    />
  );
}
