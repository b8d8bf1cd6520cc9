/** Largest body of operations that carry the body of an event: in base64 it is a third larger. */
export const eventBodyBytes = 32 * 1024 * 1024;
