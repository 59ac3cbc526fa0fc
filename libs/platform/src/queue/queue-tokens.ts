/** Injection token of the connection that this process sends jobs with. */
export const QUEUE_PUBLISHER = Symbol('QUEUE_PUBLISHER');
