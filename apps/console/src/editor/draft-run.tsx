import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { inputFields, inputOf, textsOf } from '../agents/input-fields.js';
import { InputFieldControl } from '../agents/start-form.js';
import { ApprovalTitle } from '../approvals/approval-title.js';
import { useMissingGroups } from '../agents/missing-groups.js';
import { approvalKey, decisionRefusal } from '../approvals/approval-view.js';
import { aas, fieldProblem, type TraceStep } from '../data/api.js';
import { jsonOrText } from '../data/json-or-text.js';
import { useRefusal } from '../data/session.js';
import { useUploadRefusal } from '../files/uploads.js';
import { TraceStore } from '../live/trace-store.js';
import { useTrace } from '../live/use-trace.js';
import { StepName } from '../live/step-name.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { JsonView } from '../ui/json-view.js';
import { Notice } from '../ui/notice.js';
import { Card } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status, StatusIcon } from '../ui/status.js';
import { CodeText, Word } from '../ui/word.js';
import { word } from '../data/words.js';
import styles from './editor.module.css';

/** The input of a run that the person has chosen for the next test run. */
export interface GivenInput {
  run: string;
  input: unknown;
}

export interface DraftRunProps {
  text: string;
  definition: unknown;
  given: GivenInput | undefined;
}

/** Starts a run of the unsaved text, in which writes are simulated. */
export function DraftRun({ text, definition, given }: DraftRunProps): ReactNode {
  const fields = inputFields((definition as { input?: unknown } | undefined)?.input);
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [json, setJson] = useState('{}');
  const [taken, setTaken] = useState<GivenInput>();
  if (given !== taken) {
    setTaken(given);
    setTexts(textsOf(fields ?? [], given?.input));
    setJson(JSON.stringify(given?.input ?? {}, null, 2));
  }
  const [latest, setLatest] = useState<string>();
  const refusal = useRefusal('agents:run');
  const start = useMutation({
    mutationFn: () => {
      const input = (fields ? inputOf(fields, texts) : jsonOrText(json)) as Record<string, unknown>;
      return aas.definitions.run({ definition: text, input });
    },
    onSuccess: ({ id }) => setLatest(id),
  });
  const uploading = useUploadRefusal();
  const reason = refusal ?? uploading ?? (text.trim() === '' ? 'The definition is empty.' : null);
  return (
    <Card title="Test run">
      {fields?.map((field) => (
        <InputFieldControl
          key={field.name}
          field={field}
          value={texts[field.name] ?? ''}
          onChange={(value) => setTexts((before) => ({ ...before, [field.name]: value }))}
          problem={fieldProblem(start.error, `/input/${field.name}`)}
        />
      ))}
      {fields === undefined && <TextField label="Input" value={json} onChange={setJson} multiline code hint="JSON" />}
      <GivenNote given={taken} />
      <ProblemAlert error={start.error} />
      <div>
        <Button
          refusal={reason ?? (start.isPending ? 'The run is being started.' : null)}
          onClick={() => start.mutate()}
        >
          Start test run
        </Button>
      </div>
      <p className={styles.quiet}>
        Runs the definition as it is in the editor, saved or not. Read operations are executed, write operations are
        simulated.
      </p>
      {latest !== undefined && <StartedRun key={latest} id={latest} />}
    </Card>
  );
}

function GivenNote({ given }: Pick<DraftRunProps, 'given'>): ReactNode {
  if (given === undefined) return null;
  return (
    <p className={styles.quiet} role="status">
      The input is the one of run <code>{given.run}</code>.
    </p>
  );
}

/** Shows the run as it happens, with the approvals that it waits for. */
function StartedRun({ id }: { id: string }): ReactNode {
  const { data: run, error } = useQuery({ queryKey: ['run', id], queryFn: () => aas.runs.get(id) });
  const [store] = useState(() => new TraceStore());
  const failure = useTrace(id, store, run !== undefined);
  useSyncExternalStore(store.subscribe, store.getVersion);
  return (
    <section className={styles.started} aria-label="Latest test run">
      <div role="status" className={styles.bar}>
        {run && <Status value={run.status} />}
        <Link to="/runs/$id" params={{ id }}>
          Open run
        </Link>
      </div>
      <ProblemAlert error={error ?? failure} />
      {run?.error != null && (
        <p className={styles.failed}>
          <strong>
            <Word kind="error" value={run.error.code} />
          </strong>{' '}
          <CodeText text={run.error.message} />
        </p>
      )}
      {run?.approvals
        .filter(({ status }) => status === 'open')
        .map(({ id: open }) => (
          <Waiting key={open} id={open} />
        ))}
      <ol className={styles.steps} aria-label="Steps of the test run">
        {store.steps.map((step) => (
          <li key={step.id}>
            <StatusIcon value={step.status} />
            <Link to="/runs/$id" params={{ id }} search={{ step: String(step.n) }}>
              <StepName step={step} />
            </Link>
            <Request step={step} />
            <span className={styles.quiet}>{word('status', step.status)}</span>
          </li>
        ))}
      </ol>
      {[...store.texts].map(([path, text]) => (
        <JsonView key={path} label={`Text so far, ${path}`} value={text} />
      ))}
      {run?.output != null && <JsonView label="Output" value={run.output} />}
    </section>
  );
}

function Waiting({ id }: { id: string }): ReactNode {
  const { data: approval } = useQuery({ queryKey: approvalKey(id), queryFn: () => aas.approvals.get(id) });
  const missing = useMissingGroups(approval?.approvers ?? []);
  if (approval === undefined) return null;
  return (
    <Notice tone="amber" title="The run waits for a decision">
      <p>{decisionRefusal(approval, missing) ?? 'You may decide.'}</p>
      <Link to="/approvals/$id" params={{ id }}>
        <ApprovalTitle approval={approval} />
      </Link>
    </Notice>
  );
}

function Request({ step }: { step: TraceStep }): ReactNode {
  return step.type === 'tool_call' && <code className={styles.request}>{JSON.stringify(step.request)}</code>;
}
