/**
 * Version of text extraction. Raise it with every change that extracts another text or title from the same bytes. A
 * sync then reads the documents of earlier versions again and replaces those whose text has changed.
 */
export const READER_VERSION = 1;
