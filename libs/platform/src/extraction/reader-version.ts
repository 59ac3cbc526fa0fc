/**
 * Version of what reads documents. It is raised by every change that gives the same bytes another text or title: a sync then
 * reads the documents again that were read under an earlier version, and replaces those that have become different.
 */
export const READER_VERSION = 1;
