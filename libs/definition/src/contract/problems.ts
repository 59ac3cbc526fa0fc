import { jsonPointer, type TextFix } from '@app/kernel';
import type { ExpressionError } from '@app/cel';

export type Path = readonly (string | number)[];

export interface Problem {
  readonly path: Path;
  readonly target: 'key' | 'value';
  readonly detail: string;
  readonly suggestion?: string;
  /**
   * Set if the mistake is in an expression inside the string at `path`. `text` is the expression, and `offset` is the
   * offset of the mistake in `text`.
   */
  readonly fragment?: { readonly text: string; readonly offset: number };
}

/** A part of a definition that is valid but probably a mistake. */
export interface DefinitionWarning {
  readonly pointer: string;
  readonly detail: string;
  readonly suggestion?: string;
  readonly line?: number;
  readonly column?: number;
  readonly excerpt?: string;
  readonly fix?: TextFix;
}

/** Collects problems, so that the author sees all of them at once. */
export class Problems {
  readonly errors: Problem[] = [];
  readonly warnings: Problem[] = [];

  error(path: Path, detail: string, suggestion?: string, target: Problem['target'] = 'value'): void {
    this.errors.push({ path, target, detail, ...(suggestion ? { suggestion } : {}) });
  }

  warning(path: Path, detail: string, suggestion?: string): void {
    this.warnings.push({ path, target: 'key', detail, ...(suggestion ? { suggestion } : {}) });
  }

  expression(path: Path, error: ExpressionError): void {
    this.errors.push({
      path,
      target: 'value',
      detail: error.message,
      fragment: { text: error.expression, offset: error.offset },
      ...(error.suggestion ? { suggestion: error.suggestion } : {}),
    });
  }

  /** Returns the first error as `pointer: detail`, for logs. */
  first(): string | undefined {
    const [problem] = this.errors;
    return problem && `${jsonPointer(problem.path)}: ${problem.detail}`;
  }
}
