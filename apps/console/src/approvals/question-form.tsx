import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { useUploadRefusal } from '../files/uploads.js';
import { SchemaFields } from '../knowledge/schema-fields.js';
import { type FormTexts, formOf, textsOf, valueOfForm } from '../knowledge/schema-form.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { ProblemAlert } from '../ui/problem.js';
import type { Question } from './approval-view.js';
import styles from './approvals.module.css';
import { isStale } from './use-decision.js';

export type Answer = Record<string, unknown>;

export interface QuestionFormProps {
  question: Question;
  refusal: string | null;
  error: unknown;
  comment: string;
  onComment: (comment: string) => void;
  onAnswer: (answer: Answer) => void;
}

export function QuestionForm({
  question,
  refusal: refused,
  error,
  comment,
  onComment,
  onAnswer,
}: QuestionFormProps): ReactNode {
  const entries = formOf(question.form);
  const [texts, setTexts] = useState<FormTexts>(() => textsOf(entries, {}));
  const uploading = useUploadRefusal();
  const refusal = refused ?? uploading;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (refusal === null) onAnswer(valueOfForm(entries, texts));
  };
  return (
    <form className={styles.decision} onSubmit={submit} aria-label="Answer" noValidate>
      <SchemaFields entries={entries} texts={texts} onChange={setTexts} error={error} at="/answer" />
      <TextField label="Comment" value={comment} onChange={onComment} multiline />
      <ProblemAlert error={isStale(error) ? null : error} />
      {refusal !== null && <p className={styles.refusal}>{refusal}</p>}
      <div className={styles.buttons}>
        <Button look="primary" type="submit" refusal={refusal}>
          Answer
        </Button>
      </div>
    </form>
  );
}
