import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { useId } from 'react';
import styles from './controls.module.css';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  children: ReactNode;
  look?: 'plain' | 'primary' | 'danger' | 'quiet';
  /**
   * Why the button is disabled. The text becomes the accessible description. The disabled button stays focusable, so
   * that screen readers can read the text.
   */
  refusal?: string | null;
  /** Letter that moves the focus to the button. Pressing the letter never presses the button. */
  'data-focus-key'?: string;
}

/** Class of a link to a page that is one of the actions of the page, so that it looks like a button. */
export const actionLink = styles.button;
export const primaryLink = `${styles.button} ${styles.primary}`;

export function Button({ look = 'plain', refusal, className, children, onClick, ...rest }: ButtonProps): ReactNode {
  const reason = useId();
  const isRefused = refusal !== undefined && refusal !== null;
  const classes = [styles.button, look !== 'plain' && styles[look], className].filter(Boolean).join(' ');
  return (
    <>
      <button
        type="button"
        {...rest}
        className={classes}
        {...(isRefused && { 'aria-disabled': true, 'aria-describedby': reason, title: refusal })}
        onClick={(event) => {
          if (isRefused) event.preventDefault();
          else onClick?.(event);
        }}
      >
        {children}
      </button>
      {isRefused && (
        <span id={reason} hidden>
          {refusal}
        </span>
      )}
    </>
  );
}
