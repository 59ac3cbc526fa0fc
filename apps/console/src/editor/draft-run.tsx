import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { type InputField, inputFields, inputOf, textsOf } from '../agents/input-fields.js';
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
import { Choice, TextField } from '../ui/field.js';
import { JsonView } from '../ui/json-view.js';
import { Notice } from '../ui/notice.js';
import { Card } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status, StatusIcon } from '../ui/status.js';
import { CodeText, Word } from '../ui/word.js';
import { word } from '../data/words.js';
import styles from './editor.module.css';
import { type TestCase, testCases } from './test-cases.js';

/** The input of a run that the person has chosen for the next test run. */
export interface GivenInput {
  run: string;
  input: unknown;
}

export interface DraftRunProps {
  text: string;
  definition: unknown;
  given: GivenInput | undefined;
  /** True for an agent that is not saved yet. Its test runs use the first case, so that an example runs at once. */
  isNew: boolean;
}

/** Starts a run of the unsaved text, in which writes are simulated. */
export function DraftRun({ text, definition, given, isNew }: DraftRunProps): ReactNode {
  const input = useTestInput(definition, given, isNew);
  const [latest, setLatest] = useState<string>();
  const refusal = useRefusal('agents:run');
  const start = useMutation({
    mutationFn: () => aas.definitions.run({ definition: text, input: input.value(), mock: input.chosen?.mock }),
    onSuccess: ({ id }) => setLatest(id),
  });
  const uploading = useUploadRefusal();
  const reason = refusal ?? uploading ?? (text.trim() === '' ? 'The definition is empty.' : null);
  return (
    <Card title="Test run">
      <CaseChoice {...input} />
      {input.fields?.map((field) => (
        <InputFieldControl
          key={field.name}
          field={field}
          value={input.texts[field.name] ?? ''}
          onChange={(value) => input.write(field.name, value)}
          problem={fieldProblem(start.error, `/input/${field.name}`)}
        />
      ))}
      {input.fields === undefined && (
        <TextField label="Input" value={input.json} onChange={input.writeJson} multiline code hint="JSON" />
      )}
      {input.isGiven && (
        <p className={styles.quiet} role="status">
          The input is the one of run <code>{given?.run}</code>.
        </p>
      )}
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
        Runs the definition as it is in the editor, saved or not.{' '}
        {input.chosen && 'Operations that the case mocks answer as the case says. '}
        {input.chosen ? 'Other read operations' : 'Read operations'} are executed, write operations are simulated.
      </p>
      {latest !== undefined && <StartedRun key={latest} id={latest} />}
    </Card>
  );
}

interface TestInput {
  cases: readonly TestCase[];
  chosen: TestCase | undefined;
  choose: (name: string) => void;
  /** One for each property of the input. Undefined if the input is written as JSON. */
  fields: readonly InputField[] | undefined;
  texts: Readonly<Record<string, string>>;
  write: (name: string, text: string) => void;
  json: string;
  writeJson: (text: string) => void;
  /** True if the input begins as the one of the given run. */
  isGiven: boolean;
  value: () => Record<string, unknown>;
}

/** The input of the next test run. It begins as the input of the chosen case or of the given run, or empty. */
function useTestInput(definition: unknown, given: GivenInput | undefined, isNew: boolean): TestInput {
  const fields = inputFields((definition as { input?: unknown } | undefined)?.input);
  const cases = testCases(definition);
  /** Undefined until the person chooses, empty for no case. */
  const [name, setName] = useState<string>();
  const [written, setWritten] = useState<Record<string, string>>({});
  const [writtenJson, setWrittenJson] = useState<string>();
  const [taken, setTaken] = useState<GivenInput>();
  const choose = (next: string): void => {
    setName(next);
    setWritten({});
    setWrittenJson(undefined);
  };
  if (given !== taken) {
    setTaken(given);
    choose('');
  }
  const first = isNew ? cases[0] : undefined;
  const chosen = name === undefined ? first : cases.find((each) => each.name === name);
  const isGiven = chosen === undefined && taken !== undefined;
  const begun = chosen?.input ?? taken?.input;
  const texts = { ...textsOf(fields ?? [], begun), ...written };
  const json = writtenJson ?? JSON.stringify(begun ?? {}, null, 2);
  return {
    cases,
    chosen,
    choose,
    fields,
    texts,
    write: (field, text) => setWritten((before) => ({ ...before, [field]: text })),
    json,
    writeJson: setWrittenJson,
    isGiven,
    value: () => (fields ? inputOf(fields, texts) : jsonOrText(json)) as Record<string, unknown>,
  };
}

function CaseChoice({ cases, chosen, choose }: TestInput): ReactNode {
  if (cases.length === 0) return null;
  return (
    <Choice
      label="Case"
      value={chosen?.name ?? ''}
      onChange={choose}
      options={[{ value: '', label: 'none' }, ...cases.map(({ name }) => ({ value: name }))]}
      hint="A case of the evaluation has an input and the answers of tools."
    />
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
