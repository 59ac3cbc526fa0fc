import type { ReactNode } from 'react';
import { fieldProblem } from '../data/api.js';
import { FileField } from '../files/file-field.js';
import type { FileRule } from '../files/file-rule.js';
import { Choice, TextField } from '../ui/field.js';
import { Word } from '../ui/word.js';
import {
  type FieldChange,
  fieldText,
  fieldValue,
  isFileMember,
  isTexts,
  requestChanges,
  shownText,
} from './approval-view.js';
import styles from './approvals.module.css';
import { type ApprovedOperation, fieldLabel, type Policy } from './approved-operation.js';

export interface RequestFieldsProps {
  request: Record<string, unknown>;
  operation: ApprovedOperation;
  texts: Record<string, string>;
  onChange: (change: (texts: Readonly<Record<string, string>>) => Record<string, string>) => void;
  error: unknown;
}

export function RequestFields({ request, operation, texts, onChange, error }: RequestFieldsProps): ReactNode {
  const edited = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, fieldValue(text, request[name])]),
  );
  const changes = requestChanges(request, edited);
  return (
    <section className={styles.fields} aria-label="Edited request">
      {Object.entries(request).map(([name, value]) => (
        <MemberField
          key={name}
          label={fieldLabel(operation, name)}
          before={value}
          value={texts[name] ?? fieldText(value)}
          rule={operation.rules.get(name)}
          onChange={(text) => onChange((before) => ({ ...before, [name]: text }))}
          problem={fieldProblem(error, `/request/${name}`)}
        />
      ))}
      {changes.length > 0 && <ChangeList title="Your changes" changes={changes} />}
      <Policies policies={operation.policies} />
    </section>
  );
}

export function ChangeList({ title, changes }: { title: string; changes: readonly FieldChange[] }): ReactNode {
  return (
    <section className={styles.changes} aria-label={title}>
      <strong>{title}</strong>
      <dl>
        {changes.map(({ name, before, after }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {before !== undefined && <del>{shownText(before)}</del>}{' '}
              {after !== undefined && <ins>{shownText(after)}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const ANY_FILE: FileRule = { accept: [], max: null };

interface MemberFieldProps {
  label: string;
  /** Value of the request field before the edit. Its type determines the kind of form field. */
  before: unknown;
  /** What the operation allows, if the field is a file. */
  rule: FileRule | undefined;
  value: string;
  onChange: (text: string) => void;
  problem: string | undefined;
}

function MemberField({ before, problem, rule, ...rest }: MemberFieldProps): ReactNode {
  const shared = { ...rest, ...(problem !== undefined && { problem }) };
  if (isFileMember(before)) return <FileField {...shared} rule={rule ?? ANY_FILE} isList={Array.isArray(before)} />;
  if (typeof before === 'boolean') return <Choice {...shared} options={[{ value: 'true' }, { value: 'false' }]} />;
  const isCode = typeof before === 'object' && before !== null && !isTexts(before);
  return (
    <TextField
      {...shared}
      code={isCode}
      multiline={isCode || isTexts(before) || (typeof before === 'string' && before.length > 80)}
      inputMode={typeof before === 'number' ? 'decimal' : 'text'}
    />
  );
}

function Policies({ policies }: { policies: readonly Policy[] }): ReactNode {
  return (
    <div className={styles.policies}>
      <p>
        The service checks the edited request before it is approved. The request must match the input schema of the
        operation. No policy may deny it or require other approvers.
      </p>
      {policies.length > 0 && (
        <ul aria-label="Policies">
          {policies.map(({ name, when, action }) => (
            <li key={name}>
              <strong>{name}</strong> <Word kind="policyAction" value={action} /> if <code>{when}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
