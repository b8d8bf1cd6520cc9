import writeFileAtomic from 'write-file-atomic';

/** Replaces a file as a whole: written under another name with 0600, synced, renamed. Follows a link to the file. */
export const writePrivateFile = async (path: string, text: string | Buffer): Promise<void> =>
	writeFileAtomic(path, text, {mode: 0o600, fsync: true, encoding: 'utf8'});
