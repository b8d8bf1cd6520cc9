/** A call that a person tries ends at the latest so long after it was asked for: servers that connect, the wait for a yes, then the call. */
export const maxTryMs = 20 * 60_000;
