/**
 * Moves the cursor to the first column, to the next row if it is in another one. A terminal takes its column along to the alternate screen, where a frame that starts further right would
 * break its rows. The cursor stays at the end of a full row until something follows; blanks that begin in the first column thus leave it in their row.
 */
export const freshRow = (columns: number): string => `${' '.repeat(columns)}\r\u001B[K`;
