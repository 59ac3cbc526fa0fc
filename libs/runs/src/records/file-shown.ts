/** How a request shows a file to a model. */
export const FILE_SHOWN = ['image', 'document', 'text', 'no'] as const;
export const FILE_REASONS = ['off', 'type', 'too_large', 'unreadable', 'missing'] as const;
